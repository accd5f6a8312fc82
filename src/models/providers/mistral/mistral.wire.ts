import { hash } from 'node:crypto';

import { withoutAbsent } from '#kernel/present';
import { fieldsOf, itemsOf, textOf } from '../http/json-fields';

const CALL_ID = /^[A-Za-z0-9]{9}$/;

/** Mistral's call ids have nine letters or digits. An id of another vendor always maps to the same nine characters. */
const idOf = (id: unknown): string | undefined => {
  const text = textOf(id);
  if (text === undefined || CALL_ID.test(text)) return text;
  return hash('sha256', text, 'hex').slice(0, 9);
};

const messageOf = (message: unknown): object => {
  const { role, content, name, tool_calls: calls, tool_call_id: answered } = fieldsOf(message);
  return withoutAbsent({
    role: role === 'developer' ? 'system' : role,
    content,
    name: role === 'tool' ? name : undefined,
    tool_calls:
      calls && itemsOf(calls).map((call) => ({ ...fieldsOf(call), id: idOf(fieldsOf(call)['id']) })),
    tool_call_id: idOf(answered),
  });
};

/** Mistral refuses a call that has an unknown field. */
export const toMistral = (body: object): object => {
  const { messages, seed, stream_options: _, ...passed } = fieldsOf(body);
  return withoutAbsent({ ...passed, random_seed: seed, messages: itemsOf(messages).map(messageOf) });
};
