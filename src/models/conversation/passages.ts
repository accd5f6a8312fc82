import { type Conversation, type Part, type Path, type Tool, type Turn, nameOf } from './conversation';

/** A text that the model reads, with its place in the caller's body. */
export interface Passage {
  readonly at: Path;
  readonly text: string;
}

/** Words of JSON Schema, which carry no content as names of fields. */
const SCHEMA_NAMES: ReadonlySet<string> = new Set([
  'type',
  'description',
  'parameters',
  'properties',
  'required',
  'items',
  'enum',
  'anyOf',
  'additionalProperties',
]);

/** All texts and field names in a JSON value, because a model reads the names of a schema as well. */
export const wordsIn = (value: unknown): readonly string[] => {
  const texts: string[] = [];
  const names: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') texts.push(next);
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, each] of Object.entries(next)) {
      if (!Array.isArray(next) && !SCHEMA_NAMES.has(name)) names.push(name);
      open.push(each);
    }
  }
  return [...texts.reverse(), ...names];
};

/** A call with all words as its arguments would exceed the stack, because a body may have many words. */
const addWords = (words: string[], value: unknown): void => {
  for (const word of wordsIn(value)) words.push(word);
};

const wordsOf = (part: Part, words: string[]): void => {
  switch (part.kind) {
    case 'text':
    case 'reasoning':
      words.push(part.text);
      break;
    case 'call':
      words.push(part.name);
      addWords(words, part.input);
      break;
    case 'result':
      for (const each of part.parts) wordsOf(each, words);
      break;
    case 'image':
    case 'document':
      break;
    default:
      part satisfies never;
  }
};

const turnText = ({ parts, more }: Turn): string => {
  const words: string[] = [];
  for (const part of parts) wordsOf(part, words);
  if (more !== undefined) addWords(words, more);
  return words.filter((text) => text !== '').join('\n');
};

const toolText = ({ name, description = '', parameters, more }: Tool): string =>
  [name, description, ...wordsIn(parameters), ...wordsIn(more)].join('\n');

/** All text that the model reads, by place. */
export function* passagesOf(conversation: Conversation): Generator<Passage> {
  for (const turn of conversation.turns) yield { at: turn.at, text: turnText(turn) };
  for (const tool of conversation.tools) yield { at: tool.at, text: toolText(tool) };
  const { stop, format } = conversation.options;
  yield { at: nameOf(conversation, 'stop'), text: stop.join('\n') };
  if (typeof format === 'object') {
    const { name, description = '', schema } = format;
    yield { at: nameOf(conversation, 'format'), text: [name, description, ...wordsIn(schema)].join('\n') };
  }
}
