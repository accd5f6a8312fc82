import { type ChatApi, type Conversation, type Path, nameOf } from './conversation';

/** The fields of a body about reasoning. The vendors of these APIs refuse them for a model that does not reason. */
const FIELDS: Readonly<Partial<Record<ChatApi, readonly Path[]>>> = {
  completions: ['reasoning_effort'],
  responses: ['reasoning', 'include'],
};

/** The conversation for a model that does not reason. Agents send an effort with every call. */
export const withoutEffort = (conversation: Conversation): Conversation => {
  const { api, wishes, sent, ignored, own } = conversation;
  if (wishes.effort === undefined) return conversation;
  const { effort: _, ...rest } = wishes;
  const dropped = FIELDS[api];
  const path = nameOf(conversation, 'effort');
  if (dropped === undefined) return { ...conversation, wishes: rest, own: [...own, path] };
  const kept = Object.fromEntries(Object.entries(sent).filter(([name]) => !dropped.includes(name)));
  return { ...conversation, wishes: rest, sent: kept, ignored: [...ignored, path] };
};
