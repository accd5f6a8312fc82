import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';

import { NoAnswer } from '../errors.ts';
import { pause } from '../sender.ts';
import { type Requirement, USDC, authorize, fromBase64, toBase64 } from '../wallet.ts';
import { type Call, type Said, only } from './command.ts';
import { Misused, NotPaid, type Options, number } from './options.ts';
import { nameFor, oneLine, usd } from './output.ts';
import { walletOf } from './who-pays.ts';

const NETWORKS: Readonly<Record<string, string>> = { base: 'eip155:8453', 'base-sepolia': 'eip155:84532' };
const NETWORK_NAMES: Readonly<Record<string, string>> = {
  'eip155:8453': 'Base',
  'eip155:84532': 'Base Sepolia, a test network',
};
const USD_MAX = 1;
/** What is signed can be taken for so long. Nobody who means well needs more. */
const SECONDS_MAX = 86_400;
const TRIES = 4;
const AGAIN_MS = 2_000;

/** A way to pay, in whichever version of the protocol it was asked. */
interface Offer extends Requirement {
  /** As it was written, for the answer to repeat. */
  readonly asWritten: object;
}

interface Asked {
  readonly version: 1 | 2;
  readonly resource: { readonly url?: string; readonly description?: string };
  readonly offers: readonly Offer[];
}

type Written = Readonly<Record<string, unknown>>;

const offerOf = (written: Written): Offer => {
  const network = String(written['network']);
  return {
    scheme: String(written['scheme']),
    network: NETWORKS[network] ?? network,
    amount: String(written['amount'] ?? written['maxAmountRequired']),
    asset: String(written['asset']) as `0x${string}`,
    payTo: String(written['payTo']) as `0x${string}`,
    maxTimeoutSeconds: Number(written['maxTimeoutSeconds']),
    ...(typeof written['extra'] === 'object' && { extra: written['extra'] as Record<string, string> }),
    asWritten: written,
  };
};

/** What a 402 asks, by its header (version 2) or its body (version 1); undefined where it is no x402. */
const readAsked = (headers: Headers, body: string): Asked | undefined => {
  try {
    const header = headers.get('payment-required');
    const { x402Version, accepts, resource } = (header === null ? JSON.parse(body) : fromBase64(header)) as {
      x402Version?: number;
      accepts?: readonly Written[];
      resource?: Asked['resource'];
    };
    if (!Array.isArray(accepts)) return undefined;
    const [first = {}] = accepts as readonly Written[];
    const old = { url: first['resource'], description: first['description'] } as Asked['resource'];
    return {
      version: x402Version === 2 ? 2 : 1,
      resource: resource ?? old,
      offers: (accepts as readonly Written[]).map(offerOf),
    };
  } catch {
    return undefined;
  }
};

/** Why this is not signed for; undefined where it may be. */
const objectionTo = (offer: Offer, asset: string | undefined): string | undefined => {
  const { scheme, network, amount, payTo, maxTimeoutSeconds } = offer;
  const token = offer.asset.toLowerCase();
  if (scheme !== 'exact') return `the scheme ${oneLine(scheme)} is not known here`;
  if (!/^eip155:\d+$/.test(network)) return `the network ${oneLine(network)} is not known here`;
  if (!/^\d{1,15}$/.test(amount)) return 'its amount is no number';
  if (!/^0x[0-9a-fA-F]{40}$/.test(payTo)) return 'its payee is no address';
  if (!(maxTimeoutSeconds > 0 && maxTimeoutSeconds <= SECONDS_MAX)) return 'it could be taken for over a day';
  if (USDC[network] !== token && asset?.toLowerCase() !== token)
    return `it is not USDC on Base; --asset ${oneLine(offer.asset)} would allow it`;
  return undefined;
};

const describe = (offer: Offer, { resource }: Asked): string => {
  const { amount, asset, network, payTo, maxTimeoutSeconds } = offer;
  const isUsdc = USDC[network] === asset.toLowerCase();
  const lines = {
    asks: isUsdc ? `${usd(Number(amount))} in USDC` : `${oneLine(amount)} units of ${oneLine(asset)}`,
    on: `${NETWORK_NAMES[network] ?? 'a network'} (${oneLine(network)})`,
    to: oneLine(payTo),
    for: [resource.description, resource.url]
      .filter((one) => one !== undefined)
      .map((one) => oneLine(one))
      .join('  '),
    within: `${maxTimeoutSeconds} seconds`,
  };
  return Object.entries(lines)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `  ${name.padEnd(7)}${text}`)
    .join('\n');
};

const requestOf = async ({ method, data, header = [] }: Options): Promise<RequestInit> => {
  const body = data?.startsWith('@') === true ? await readFile(data.slice(1)) : data;
  const headers = new Headers();
  for (const line of header) {
    const [, name, value] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined) throw new Misused(`${line} is no header; write Name: value.`);
    headers.set(name, value ?? '');
  }
  if (body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  return {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    ...(body !== undefined && { body }),
  };
};

const agree = async ({ yes, json }: Options): Promise<boolean> => {
  if (yes === true) return true;
  if (!process.stdin.isTTY || json === true)
    throw new NotPaid('Nothing was signed: say --yes to pay without being asked.');
  const ask = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await ask.question('Pay this? [y/N] ')).trim());
  } finally {
    ask.close();
  }
};

/** Sends what was signed until somebody answers: the same payment again can be taken only once. */
const sendPaid = async (url: string, request: RequestInit): Promise<Response> => {
  for (let tried = 1; ; tried += 1) {
    try {
      // A signed payment goes to nobody else than who asked for it.
      const answer = await fetch(url, { ...request, redirect: 'error' });
      if (answer.status !== 503 || tried === TRIES) return answer;
    } catch (error) {
      if (tried === TRIES) throw new NoAnswer(undefined, error);
    }
    await pause(AGAIN_MS);
  }
};

const settlementOf = ({ headers }: Response): Written | undefined => {
  const text = headers.get('payment-response') ?? headers.get('x-payment-response');
  try {
    return text === null ? undefined : (fromBase64(text) as Written);
  } catch {
    return undefined;
  }
};

const ENDINGS: Readonly<Record<string, string>> = { 'application/pdf': '.pdf', 'application/zip': '.zip' };
const isText = (type: string): boolean => /^text\/|json|xml|^$/.test(type);

/** An answer is printed where it is text, and otherwise written to a file, or where --out says. */
const keep = async (
  answer: Response,
  { out }: Options,
): Promise<{ readonly file?: string; readonly body?: string }> => {
  const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
  if (out === undefined && isText(type)) return { body: await answer.text() };
  const [kind, name = 'bin'] = type.split('/');
  const ending =
    ENDINGS[type] ?? (/^(image|video|audio)$/.test(kind ?? '') ? `.${name.replace('jpeg', 'jpg')}` : '.bin');
  const file = out ?? nameFor(new URL(answer.url).pathname.split('/').pop() ?? '', ending);
  await writeFile(file, new Uint8Array(await answer.arrayBuffer()));
  return { file };
};

const parsed = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
};

/** Pays one call of any address that speaks x402, after it has shown what that asks. */
export const pay = async (call: Call): Promise<Said> => {
  const { options } = call;
  const given = only(call, 'address');
  if (!/^https?:\/\//.test(given) || !URL.canParse(given)) throw new Misused(`${given} is no http address.`);
  const max = number(options.max, 'max') ?? USD_MAX;
  const request = await requestOf(options);
  const first = await fetch(given, request).catch((error: unknown) => {
    throw new NoAnswer(undefined, error);
  });
  // Whoever was sent on is shown, and pays, where it asked.
  const url = first.url || given;
  if (first.status !== 402) {
    const kept = await keep(first, options);
    const text = kept.file ?? kept.body ?? '';
    process.stderr.write(`It answers ${first.status} and asks for no payment.\n`);
    return {
      json: { status: first.status, file: kept.file, body: parsed(kept.body) },
      text,
      exitCode: first.ok ? 0 : 1,
    };
  }
  const asked = readAsked(first.headers, await first.text());
  if (asked === undefined)
    throw new NotPaid('It answers 402, but does not say what to pay in a way of x402.');
  const offer = asked.offers.find((one) => objectionTo(one, options.asset) === undefined);
  const shown = offer ?? asked.offers[0];
  if (shown !== undefined) process.stderr.write(`${url}\n${describe(shown, asked)}\n`);
  if (offer === undefined) {
    const reasons = asked.offers.map((one) => objectionTo(one, options.asset));
    throw new NotPaid(
      `Nothing was signed: ${[...new Set(reasons)].join('; ') || 'it offers no way to pay'}.`,
    );
  }
  if (Number(offer.amount) > max * 1e6)
    throw new NotPaid(`Nothing was signed: it asks for more than $${max}. --max raises that.`);
  const wallet = await walletOf();
  if (wallet === undefined)
    throw new NotPaid('Nothing was signed: to pay it, put the key of a wallet into LAMPPOST_PRIVATE_KEY.');
  if (!(await agree(options))) throw new NotPaid('Nothing was signed.');

  const payload = await authorize(offer, wallet);
  const written = offer.asWritten as Written;
  const payment =
    asked.version === 2
      ? { x402Version: 2, resource: asked.resource, accepted: written, payload }
      : { x402Version: 1, scheme: 'exact', network: written['network'], payload };
  const headers = new Headers(request.headers);
  headers.set(asked.version === 2 ? 'PAYMENT-SIGNATURE' : 'X-PAYMENT', toBase64(payment));
  const answer = await sendPaid(url, { ...request, headers });
  const settlement = settlementOf(answer);
  const isPaid = settlement?.['success'] === true;
  const kept = await keep(answer, options);
  const transaction = settlement?.['transaction'];
  const receipt = isPaid
    ? `Paid ${usd(Number(offer.amount))} to ${oneLine(offer.payTo)}${typeof transaction === 'string' ? `, transaction ${oneLine(transaction)}` : ''}.`
    : answer.ok
      ? 'It was answered, without a word of the payment: look at your wallet.'
      : `It was refused with ${answer.status}${settlement === undefined ? '' : `: ${oneLine(settlement['errorReason'] ?? '')}`}.`;
  process.stderr.write(`${receipt}\n`);
  return {
    json: {
      status: answer.status,
      paid: isPaid,
      amount: offer.amount,
      asset: offer.asset,
      network: offer.network,
      payTo: offer.payTo,
      transaction,
      charge: answer.headers.get('x-charge-id') ?? undefined,
      file: kept.file,
      body: parsed(kept.body),
    },
    text: kept.file ?? kept.body ?? '',
    exitCode: answer.ok ? 0 : answer.status === 402 ? 3 : 1,
  };
};
