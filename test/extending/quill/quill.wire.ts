import { type Refusal, fieldsOf, textOf } from '../../../src/providers/http/answer-status';
import { type FaultOutcome, ProviderFault } from '../../../src/providers/http/provider-fault';
import type { ConversationPiece, TextAnswer, TextUsage } from '../../../src/providers/text-provider';

interface Asked {
  readonly model: string;
  readonly maxTokens: number;
  readonly messages: readonly object[];
}

/** Quill knows turns of plain text. All else goes to the next route: half a question would get the wrong answer. */
const toTurn = (message: object): object => {
  const { role, content, ...more } = fieldsOf(message);
  if (typeof content !== 'string' || Object.keys(more).length > 0) {
    throw new ProviderFault('not-served', 'it takes turns of plain text only');
  }
  return { speaker: role === 'assistant' ? 'quill' : role, says: content };
};

export const toQuestion = ({ model, maxTokens, messages }: Asked, stream: boolean): object => ({
  model,
  most: maxTokens,
  turns: messages.map(toTurn),
  stream,
});

const toUsage = (value: unknown): TextUsage | undefined => {
  const { read, written } = fieldsOf(value);
  return typeof read === 'number' && typeof written === 'number'
    ? { promptTokens: read, completionTokens: written }
    : undefined;
};

/** Undefined is no answer of Quill's. Nothing is made up: what is not counted can't be billed. */
export const toTextAnswer = (value: unknown): TextAnswer | undefined => {
  const { says, counted } = fieldsOf(value);
  const usage = toUsage(counted);
  return typeof says === 'string' && usage !== undefined ? { content: says, ...usage } : undefined;
};

/** An event that we do not know says nothing. */
export const toPieces = (event: unknown): readonly ConversationPiece[] => {
  const { says, ended, counted } = fieldsOf(event);
  const text = textOf(says);
  const usage = toUsage(counted);
  return [
    ...(text === undefined ? [] : [{ delta: { content: text } }]),
    ...(ended === undefined ? [] : [{ delta: {}, finishReason: ended === 'most' ? 'length' : 'stop' }]),
    ...(usage === undefined ? [] : [{ usage }]),
  ];
};

/** Its word for an empty account of ours has no code. */
export const judge = ({ message }: Refusal): FaultOutcome | undefined =>
  message.startsWith('Your inkwell is empty') ? 'not-accepted' : undefined;
