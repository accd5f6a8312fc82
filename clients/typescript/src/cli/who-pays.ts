import { Lamppost, type LamppostOptions, type Retry, type Signer } from '../lamppost.ts';
import { Misused, NotPaid, type Options, keyOf, number } from './options.ts';
import { payableOptions } from './networks.ts';
import { note, oneLine, shellWord } from './output.ts';
import { readableKey, storeKey } from './stored-keys.ts';

/** The wallet of LAMPPOST_PRIVATE_KEY, which needs viem; undefined if the variable is not set. */
export const walletOf = async (): Promise<Signer | undefined> => {
  const privateKey = process.env['LAMPPOST_PRIVATE_KEY'];
  if (privateKey === undefined || privateKey === '') return undefined;
  if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey))
    throw new Misused('LAMPPOST_PRIVATE_KEY must be 0x and 64 hexadecimal digits.');
  const accounts = 'viem/accounts';
  try {
    const { privateKeyToAccount } = (await import(accounts)) as {
      privateKeyToAccount: (key: string) => Signer;
    };
    return privateKeyToAccount(privateKey);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Misused('A wallet needs viem beside this package: npm install viem.');
  }
};

/** The full address for a typed one: by default https, and http on this machine. */
export const asAddress = (text: string): string => {
  const scheme = /^(localhost|127\.|\[::1\])/.test(text) ? 'http' : 'https';
  const address = /^https?:\/\//.test(text) ? text : `${scheme}://${text}`;
  if (!URL.canParse(address)) throw new Misused(`${text} is no address of a service.`);
  return address;
};

export const baseUrlOf = ({ url }: Options): string =>
  asAddress(url ?? (process.env['LAMPPOST_URL'] || 'http://127.0.0.1:3000'));

const json = async (response: Response): Promise<Record<string, unknown>> => {
  if (!response.ok) {
    const { error } = (await response.json().catch(() => ({}))) as { error?: { message?: string } };
    throw new NotPaid(
      `No test account could be made: ${oneLine(error?.message ?? `the service answered ${response.status}`)}`,
    );
  }
  return (await response.json()) as Record<string, unknown>;
};

const TEST_USD = 5;

/**
 * The key of a new test account, if the service has sandbox card payments, so that a new user gets a first answer at
 * once. Undefined for other services. It calls only the given service, even if the service names another address.
 */
const testKey = async (baseUrl: string): Promise<string | undefined> => {
  const base = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  const manifest = await fetch(new URL('v1/agent/manifest.json', base)).catch(() => undefined);
  const { sandbox = [] } = ((await manifest?.json().catch(() => ({}))) ?? {}) as {
    sandbox?: readonly string[];
  };
  if (!sandbox.some((part) => part.startsWith('card payments'))) return undefined;
  const post = (path: string, body: object, cookie = ''): Promise<Response> =>
    fetch(new URL(path, base), {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: base.origin, cookie },
      body: JSON.stringify(body),
      redirect: 'manual',
    });
  const email = `try-${crypto.randomUUID()}@example.com`;
  const registered = await post('v1/account/register', { email, password: crypto.randomUUID() });
  await json(registered.clone());
  const cookie = registered.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .join('; ');
  const { key } = await json(await post('v1/account/keys', { name: 'lamppost', expiresInDays: 30 }, cookie));
  const { checkoutUrl } = await json(await post('v1/account/billing/top-up', { usd: TEST_USD }, cookie));
  const checkout = new URL(`${String(checkoutUrl)}/pay`);
  if (checkout.origin !== base.origin || !/^lp_[\w-]+$/.test(String(key))) return undefined;
  await post(checkout.href, {}, cookie);
  let next = ' The next commands use it, too.';
  try {
    storeKey(base.href, String(key));
  } catch (error) {
    next = ` Its key could not be stored: ${oneLine((error as Error).message)}`;
  }
  note(
    `This is a sandbox, so a test account with $${TEST_USD} was made for you.${next} For programs:\n` +
      `  export LAMPPOST_URL=${shellWord(base.href.replace(/\/$/, ''))} LAMPPOST_KEY=${shellWord(String(key))}\n`,
  );
  return String(key);
};

/** The payer from options and environment; undefined if they name none. */
export const payerOf = (options: Options): 'key' | 'session' | 'wallet' | undefined => {
  const { LAMPPOST_SESSION: session = '', LAMPPOST_PRIVATE_KEY: wallet = '' } = process.env;
  if (keyOf(options) !== undefined) return 'key';
  if (session !== '') return 'session';
  return wallet === '' ? undefined : 'wallet';
};

/** The given payer, or the stored key of the service. */
export const withStoredKey = (options: Options): Options => {
  const key = payerOf(options) === undefined ? readableKey(baseUrlOf(options)) : undefined;
  return key === undefined ? options : { ...options, key };
};

/** The given payer, or the key of a test account in a sandbox. */
export const withTestKey = async (options: Options): Promise<Options> => {
  if (payerOf(options) !== undefined) return options;
  const key = await testKey(baseUrlOf(options));
  return key === undefined ? options : { ...options, key };
};

const WAIT_MS_SAID = 2_000;

/** The failed tries after which a wait says so. They take about two seconds. */
const WAIT_TRIES_SAID = 4;

/** Explains a long wait to the user. A wait without an end is one line. */
const sayWait = ({ waitMs, reason, isWait, tried }: Retry): void => {
  const why = oneLine(reason.message);
  if (!isWait && waitMs >= WAIT_MS_SAID) note(`Waiting ${Math.ceil(waitMs / 1_000)} s: ${why}\n`);
  if (isWait && tried === WAIT_TRIES_SAID) note(`Waiting until the service answers: ${why}\n`);
};

/** A client with the available payer. Only `channel open` makes deposits. */
export const clientFor = async (options: Options, costs: boolean, deposit = 0): Promise<Lamppost> => {
  const baseUrl = baseUrlOf(options);
  const perCall = number(options.max, 'max');
  const common: LamppostOptions = {
    baseUrl,
    // Free calls are tried twice, so that the user does not wait long for an unavailable service.
    ...(costs ? {} : { tries: 2 }),
    onRetry: sayWait,
    ...(perCall !== undefined && { budget: { perCall } }),
  };
  const payer = payerOf(options);
  if (payer === 'key') return new Lamppost({ ...common, key: keyOf(options) });
  if (payer === 'session') return new Lamppost({ ...common, session: process.env['LAMPPOST_SESSION'] });
  const wallet = await walletOf();
  if (wallet === undefined) return new Lamppost(common);
  const { pay = 'x402' } = options;
  if (pay !== 'x402' && pay !== 'balance' && pay !== 'channel')
    throw new Misused('--pay is x402, balance or channel.');
  return new Lamppost({ ...common, ...payableOptions(options), wallet, pay, deposit });
};
