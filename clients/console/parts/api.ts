import type { components, paths } from './api.types.ts';
import { actFor, actingHeaders } from './organisation.ts';

export type Schemas = components['schemas'];

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Known<P extends keyof paths> = { [M in Method]: paths[P] extends Record<M, infer O> ? O : never };
type JsonIn<T> = T extends { content: { 'application/json': infer J } } ? J : never;
type AnswerOf<O> = O extends { responses: infer R } ? JsonIn<R[keyof R & (200 | 201)]> : never;
type BodyOf<O> = O extends { requestBody: infer B } ? JsonIn<B> : undefined;

interface Options<Body> {
  readonly body?: Body;
  /** Values for the names in braces in the path. */
  readonly at?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** An API key that pays instead of the session. */
  readonly key?: string | undefined;
}

interface Failure {
  readonly error?: { readonly message?: string; readonly code?: string; readonly param?: string | null };
  readonly topUp?: string;
  readonly manageKeys?: string;
  readonly replacedBy?: string;
}

/** Labels of the forms, for messages that name a field of the API. */
const LABELS: Readonly<Record<string, string>> = {
  balanceLowMicro: 'The balance',
  spendDayMicro: 'The spending of a day',
  keyPercent: 'The percentage',
  spendLimitMicro: 'The spend limit',
  'spendLimits.dayMicro': 'The limit of a day',
  'spendLimits.monthMicro': 'The limit of a month',
  'spendLimits.totalMicro': 'The limit of all time',
  'scopes.models': 'The model',
  'scopes.ips': 'The network',
  'scopes.perMinute': 'The number of calls a minute',
  'scopes.priceMicroMax': 'The price of one call',
  expiresInDays: 'The expiry',
  email: 'The email address',
  password: 'The password',
  next: 'The new password',
  name: 'The name',
  label: 'The description',
  url: 'The address',
};

const NOT_PROVEN = 'EMAIL_NOT_PROVEN';

/** The message with the label of the field instead of its API name, if the message begins with that name. */
const readable = ({ message, param, code }: NonNullable<Failure['error']>): string | undefined => {
  if (code === NOT_PROVEN) return 'This needs a proven email address. Open the link in your mail first.';
  if (message === undefined || param === undefined || param === null) return message;
  const label = LABELS[param.replace(/\[\d+\]/g, '')];
  const isAboutIt =
    label !== undefined && message.startsWith(param) && /^[ :]/.test(message.slice(param.length));
  return isAboutIt ? `${label}${message.slice(param.length)}` : message;
};

/** An error of the service. Its message contains the remedy. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    private readonly body: Failure,
  ) {
    super(readable(body.error ?? {}) ?? 'The service gave an unexpected answer. Try again.');
  }

  get code(): string {
    return this.body.error?.code ?? '';
  }

  get param(): string | undefined {
    return this.body.error?.param ?? undefined;
  }

  /** The model to use instead of a retired one. */
  get replacedBy(): string | undefined {
    return this.body.replacedBy;
  }

  /** The page that helps to solve the problem, if there is one. */
  get link(): { readonly href: string; readonly text: string } | undefined {
    const { topUp, manageKeys } = this.body;
    if (this.code === NOT_PROVEN) return { href: 'account', text: 'Send the link again' };
    if (topUp !== undefined) return { href: 'account/billing', text: 'Top up' };
    return manageKeys === undefined || this.status !== 402
      ? undefined
      : { href: 'account/keys', text: 'Manage keys' };
  }
}

/** An address of the service, relative to the base of the page. */
export const addressOf = (path: string, { at = {}, query = {} }: Options<unknown> = {}): string => {
  const filled = path.slice(1).replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(at[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, String(value)]],
    ),
  ).toString();
  return search === '' ? filled : `${filled}?${search}`;
};

const SIGN_OUT = '/v1/account/sign-out';

const toSignIn = (): void => {
  const { href, hash } = location;
  const here = href.slice(document.baseURI.length, href.length - hash.length);
  // The part behind `#` may be a token, so it must not become a part that browsers send.
  location.assign(`account/sign-in?next=${encodeURIComponent(here)}${hash}`);
};

let leaving = new AbortController();

/**
 * Signs out, and first stops all calls, including those in progress. Without this, the service would refuse them, and a
 * refusal leads to the sign-in page.
 */
export const signOut = async (): Promise<void> => {
  leaving.abort();
  try {
    await send('post', SIGN_OUT);
    actFor(undefined);
  } catch (error) {
    leaving = new AbortController();
    throw error;
  }
};

const never = new Promise<never>(() => undefined);

/** Sends a request to the service. Returns the answer, or throws the service's error. */
export const send = async (
  method: string,
  path: string,
  options: Options<unknown> = {},
): Promise<Response> => {
  const left = path === SIGN_OUT ? new AbortController().signal : leaving.signal;
  if (left.aborted) return never;
  const { body, headers, signal, key } = options;
  const isAdmin = path.startsWith('/v1/admin');
  let response: Response;
  try {
    response = await fetch(addressOf(path, options), {
      method: method.toUpperCase(),
      headers: {
        ...(key !== undefined ? { 'x-api-key': key } : isAdmin ? {} : actingHeaders()),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: key === undefined ? 'same-origin' : 'omit',
      signal: signal === undefined ? left : AbortSignal.any([signal, left]),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    if (left.aborted) return never;
    throw new ApiError(0, { error: { message: "The service can't be reached. Check your connection." } });
  }
  if (response.ok) return response;
  if (left.aborted) return never;
  const failure = new ApiError(response.status, (await response.json().catch(() => ({}))) as Failure);
  const isKeyed = key !== undefined;
  if (failure.code === 'MISSING_CREDENTIALS' && response.status === 401 && !isAdmin && !isKeyed) toSignIn();
  if (failure.param === 'X-Organisation' && response.status === 404) {
    // The person is no longer a member, so the page continues with their own account.
    actFor(undefined);
    location.reload();
    return never;
  }
  throw failure;
};

/** Calls a route of the published API, with the types of the documents. */
export const call = async <P extends keyof paths, M extends Method>(
  method: M,
  path: P,
  options: Options<BodyOf<Known<P>[M]>> = {},
): Promise<AnswerOf<Known<P>[M]>> => {
  const response = await send(method, path, options);
  return (await response.json()) as AnswerOf<Known<P>[M]>;
};

/** Saves an answer as a file. A link can't do this, because it can't send the header that names the organisation. */
export const download = async (path: string, name: string, options: Options<unknown> = {}): Promise<void> =>
  save(await (await send('get', path, options)).blob(), name);

export const save = (content: Blob, name: string): void => {
  const href = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  link.click();
  URL.revokeObjectURL(href);
};

/** The signed receipt of a charge of the account. */
export const receiptOf = async (id: string, signal?: AbortSignal) => {
  const receipt = await call('get', '/v1/agent/charges/{id}', { at: { id }, signal });
  if (!('jws' in receipt)) throw new Error('This receipt belongs to another account.');
  return receipt;
};
