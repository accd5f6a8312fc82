// The schemas of a chat call and its answer, for the peers that validate them.
const message = {
  type: 'object',
  required: ['role', 'content'],
  properties: { role: { enum: ['system', 'user', 'assistant'] }, content: { type: 'string' } },
};
export const body = {
  type: 'object',
  required: ['messages'],
  properties: {
    messages: { type: 'array', minItems: 1, maxItems: 50, items: message },
    max_tokens: { type: 'integer', minimum: 1, maximum: 8192 },
    temperature: { type: 'number', minimum: 0, maximum: 2 },
  },
};
const count = { type: 'integer' };
export const answer = {
  type: 'object',
  properties: {
    choices: { type: 'array', items: { type: 'object', properties: { message } } },
    usage: { type: 'object', properties: { prompt_tokens: count, completion_tokens: count } },
  },
};
