import type { Fields } from '#kernel/json';
import { type Conversation, EFFORTS, type Effort, type Path, nameOf } from './conversation';
import { optionalTextAt, refuse } from './reading';

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** The caller's body without the fields of an effort. Anthropic's `thinking` stays, because older models know it. */
const bodyWithout = ({ api, sent }: Conversation): Fields => {
  const without = (fields: Fields, name: string): Fields | undefined => {
    const kept = Object.entries(fields).filter(([field]) => field !== name);
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  };
  const inside = (field: string, name: string): Fields =>
    isPresent(sent[field]) ? { ...sent, [field]: without(sent[field] as Fields, name) } : sent;
  if (api === 'completions') return { ...sent, reasoning_effort: undefined };
  if (api === 'responses') return { ...sent, reasoning: undefined, include: undefined };
  return api === 'gemini' ? inside('generationConfig', 'thinkingConfig') : inside('output_config', 'effort');
};

/** The conversation for a model that does not reason, and that would refuse an effort. The answer names the field. */
export const withoutEffort = (conversation: Conversation): Conversation => {
  const { options, ignored, own, api, sent } = conversation;
  const { effort, ...others } = options;
  if (effort === undefined) return conversation;
  const isBudget =
    api === 'messages' && !isPresent((sent['output_config'] as Fields | undefined)?.['effort']);
  return {
    ...conversation,
    options: others,
    sent: bodyWithout(conversation),
    ...(isBudget ? { own: [...own, 'thinking'] } : { ignored: [...ignored, nameOf(conversation, 'effort')] }),
  };
};

export const effortAt = (value: unknown, at: Path): Effort | undefined => {
  const word = optionalTextAt(value, at)?.toLowerCase();
  if (word === undefined) return undefined;
  const effort = EFFORTS.find((each) => each === word);
  return effort ?? refuse(`${at} must be one of ${EFFORTS.join(', ')}.`, at);
};

/** Translates a token budget for thoughts into an effort. */
export const effortOfBudget = (tokens: number): Effort => {
  if (tokens < 4_096) return 'low';
  return tokens < 16_384 ? 'medium' : 'high';
};

/** The three efforts that each vendor knows in some form. Undefined if the caller wants no thoughts. */
export const commonEffort = (effort: Effort | undefined): 'low' | 'medium' | 'high' | undefined => {
  if (effort === undefined || effort === 'none') return undefined;
  if (effort === 'minimal') return 'low';
  return effort === 'low' || effort === 'medium' ? effort : 'high';
};
