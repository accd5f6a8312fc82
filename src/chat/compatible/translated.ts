import { InvalidRequest } from '../../kernel/app-error';
import type { CompletionBody, CompletionMessage } from '../completions/completions.dto';
import type { FieldNames } from '../completions/forwarded';

/** A message in the common shape, and where it and its parts stand in what the caller sent. */
export interface Placed {
  readonly message: CompletionMessage;
  readonly at: string;
  readonly parts?: readonly string[];
}

/** A call of a compatible route in the common shape. */
export interface Translated {
  readonly asked: CompletionBody;
  /** The caller's own name of a field of it. */
  readonly nameOf: FieldNames;
}

const PLACE = /^messages\[(\d+)\](?:\.content\[(\d+)\])?/;

/** `names` has the route's own names of fields, where they differ. */
export const translated = (
  fields: Omit<CompletionBody, 'messages'>,
  placed: readonly Placed[],
  names: Readonly<Record<string, string>>,
): Translated => ({
  asked: { ...fields, messages: placed.map(({ message }) => message) },
  nameOf: (param) => {
    const [, message, part] = PLACE.exec(param) ?? [];
    const place = message === undefined ? undefined : placed[Number(message)];
    if (place !== undefined)
      return (part === undefined ? undefined : place.parts?.[Number(part)]) ?? place.at;
    const field = /^\w+/.exec(param)?.[0] ?? '';
    return `${names[field] ?? field}${param.slice(field.length)}`;
  },
});

/** Refuses a field that the maker of the shape serves, and this service does not. */
export const refuse = (why: string, param: string): never => {
  throw new InvalidRequest(why, { param, remedies: [{ param }] });
};
