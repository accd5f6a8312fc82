import { withoutAbsent } from '#kernel/present';
import type { WholeAnswer } from '../completions/completions.service';
import type { Meter } from '../completions/meter';
import { type ToolCall, argumentsOf, isText } from '../compatible/answered-tool-call';
import type { GenerateContentAnswer, GenerateContentUsage } from './generate-content.dto';

const REASONS: Readonly<Record<string, string>> = { length: 'MAX_TOKENS', content_filter: 'SAFETY' };

export const reasonOf = (finish: string): string => REASONS[finish] ?? 'STOP';

export const usageOf = ({ usage, cached }: Meter): GenerateContentUsage => ({
  promptTokenCount: usage.prompt_tokens,
  candidatesTokenCount: usage.completion_tokens,
  cachedContentTokenCount: cached.read,
  totalTokenCount: usage.total_tokens,
});

export const callParts = (calls: readonly ToolCall[]): readonly object[] =>
  calls.map(({ id, function: called = {}, extra_content: extra }) =>
    withoutAbsent({
      functionCall: withoutAbsent({ id, name: called.name ?? '', args: argumentsOf(called.arguments) }),
      thoughtSignature: extra?.google.thought_signature,
    }),
  );

/** The texts of a message, or of a piece of a message. Only callers who asked for thoughts get them. */
export const textParts = (
  { content, refusal, reasoning_content: thought }: Readonly<Record<string, unknown>>,
  showsThoughts: boolean,
  thoughtSignature?: string,
): readonly object[] => {
  const proof = thoughtSignature === undefined ? {} : { thoughtSignature };
  const texts = [content, refusal].filter(isText);
  return [
    ...(showsThoughts && isText(thought) ? [{ text: thought, thought: true }] : []),
    ...texts.map((text) => ({ text, ...proof })),
    ...(texts.length === 0 && thoughtSignature !== undefined ? [{ text: '', ...proof }] : []),
  ];
};

export const toContent = (
  { id, modelId, message, finish, meter }: WholeAnswer,
  showsThoughts: boolean,
): GenerateContentAnswer => ({
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          ...textParts(message, showsThoughts),
          ...callParts((message.tool_calls ?? []) as readonly ToolCall[]),
        ],
      },
      finishReason: reasonOf(finish),
      index: 0,
    },
  ],
  usageMetadata: usageOf(meter),
  modelVersion: modelId,
  responseId: id,
});
