import { InvalidRequest } from '#kernel/app-error';
import { type Fields, isFields } from '#kernel/json';
import type { Conversation, MediaPart, Path } from './conversation';

/** The fields of every paid call (`PaidBody`), and its model. No vendor gets them. */
export const PAID_FIELDS = ['payer', 'quoteId', 'maxPriceMicro', 'dryRun', 'tag', 'model'] as const;

/** Refuses a value of the caller. */
export const refuse = (why: string, param: Path): never => {
  throw new InvalidRequest(why, { param, remedies: [{ param }] });
};

export const shown = (word: unknown): string =>
  JSON.stringify(typeof word === 'string' ? word.slice(0, 60) : word) ?? 'undefined';

/** The one sentence for kinds of parts that the service does not support. */
export const unsupported = (what: string, type: unknown, at: Path): never =>
  refuse(
    typeof type === 'string'
      ? `${at}: ${what} of type ${shown(type)} is not supported here.`
      : `${at}.type must name the type of ${what}.`,
    at,
  );

export const fieldsAt = (value: unknown, at: Path): Fields =>
  isFields(value) ? value : refuse(`${at} must be an object.`, at);

export const textAt = (value: unknown, at: Path): string =>
  typeof value === 'string' ? value : refuse(`${at} must be a text.`, at);

/** A name or an id, which is short. */
export const wordAt = (value: unknown, at: Path): string => {
  const word = textAt(value, at);
  return word.length <= 256 ? word : refuse(`${at} must be at most 256 characters long.`, at);
};

export const optionalTextAt = (value: unknown, at: Path): string | undefined =>
  value === undefined || value === null ? undefined : textAt(value, at);

export const optionalNumberAt = (value: unknown, at: Path): number | undefined => {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'number' ? value : refuse(`${at} must be a number.`, at);
};

/** A limit of tokens. */
export const limitAt = (value: unknown, at: Path): number | undefined => {
  const limit = optionalNumberAt(value, at);
  if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 1)) return limit;
  return refuse(`${at} must be a whole number of at least 1.`, at);
};

export const optionalFieldsAt = (value: unknown, at: Path): Fields | undefined =>
  value === undefined || value === null ? undefined : fieldsAt(value, at);

const listAt = (value: unknown, at: Path): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : refuse(`${at} must be a list.`, at);

/** The elements of an optional list, with the place of each. */
export const eachAt = <T>(value: unknown, at: Path, read: (value: unknown, at: Path) => T): T[] =>
  value === undefined || value === null
    ? []
    : listAt(value, at).map((each, index) => read(each, `${at}[${index}]`));

export const stopsAt = (value: unknown, at: Path): readonly string[] =>
  typeof value === 'string' ? [value] : eachAt(value, at, textAt);

/** More paths than the header that shows them has room for. */
const PATHS_MAX = 200;

/**
 * Collects what a API finds beside the typed parts: the images, and the paths of what some vendor does not get. The
 * paths have no indices, so that a long conversation has few of them.
 */
export class Findings {
  readonly images: MediaPart[] = [];
  documents = 0;
  private readonly dropped = new Set<Path>();
  private readonly makers = new Set<Path>();

  ignore(at: Path): void {
    if (this.dropped.size < PATHS_MAX) this.dropped.add(bare(at));
  }

  /** Only a vendor that speaks this API understands the value. */
  own(at: Path): void {
    if (this.makers.size < PATHS_MAX) this.makers.add(bare(at));
  }

  ownIfPresent(fields: Fields, name: string, at: Path): void {
    if (fields[name] !== undefined && fields[name] !== null) this.own(at === '' ? name : `${at}.${name}`);
  }

  image(part: MediaPart): MediaPart {
    this.images.push(part);
    return part;
  }

  document(part: MediaPart): MediaPart {
    this.documents += 1;
    return part;
  }

  /** The fields of the conversation that hold the findings. */
  get all(): Pick<Conversation, 'images' | 'documents' | 'ignored' | 'own'> {
    const { images, documents } = this;
    return { images, documents, ignored: [...this.dropped], own: [...this.makers] };
  }
}

const bare = (at: Path): Path => at.replaceAll(/\[\d+\]/g, '[]');

/** A name from a caller, for a header. */
export const named = (name: string): string => (/^[\w.-]{1,60}$/.test(name) ? name : '?');

/** The allowed fields of a body. Unknown fields are ignored, and named. `ours` has fields that never reach a vendor. */
export const allowed = (
  body: object,
  passed: ReadonlySet<string>,
  ours: ReadonlySet<string>,
  findings: Findings,
): Fields => {
  const sent: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    if (passed.has(name)) sent[name] = value;
    else if (!ours.has(name) && value !== null) findings.ignore(named(name));
  }
  return sent;
};

/** A part has one kind. A second source in it could bring an address past the checks to the vendor. */
export const refuseBeside = (part: Fields, names: readonly string[], at: Path): void => {
  const second = names.find((name) => part[name] !== undefined);
  if (second !== undefined) refuse(`${at}: a part of this type has no ${second}.`, `${at}.${second}`);
};

/** The fields that a kind does not define, for the screening. Undefined if there are none. */
export const beyond = (
  fields: Fields,
  known: ReadonlySet<string>,
  at: Path,
  findings: Findings,
): Fields | undefined => {
  let rest: [string, unknown][] | undefined;
  for (const name in fields) {
    if (known.has(name)) continue;
    (rest ??= []).push([name, fields[name]]);
    if (fields[name] !== null) findings.own(`${at}.${named(name)}`);
  }
  return rest && Object.fromEntries(rest);
};

/** Adds what is there. */
export const note = (more: unknown[], ...found: readonly unknown[]): void => {
  for (const each of found) if (each !== undefined && each !== false) more.push(each);
};

/**
 * For objects that have a source, or fields with two spellings. An unknown field could be a second source, which no
 * check sees.
 */
export const refuseBeyond = (fields: Fields, known: ReadonlySet<string>, at: Path): void => {
  for (const name in fields) {
    if (!known.has(name) && fields[name] !== null)
      refuse(`${at}: the field ${shown(name)} is not supported here.`, at);
  }
};
