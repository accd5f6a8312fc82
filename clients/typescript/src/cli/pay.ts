import { readFile, writeFile } from 'node:fs/promises';

import { NoAnswer } from '../lamppost.ts';
import { chosenOf } from '../offer.ts';
import { payableOf } from '../payable.ts';
import { pause } from '../pause.ts';
import { authorize, fromBase64, toBase64, transferFor } from '../wallet.ts';
import { agrees } from './ask.ts';
import { type Written, describe, readAsked } from './asked.ts';
import { type Call, type Said, only } from './command.ts';
import { payableOptions } from './networks.ts';
import { Misused, NotPaid, type Options, number } from './options.ts';
import { endingOf, nameFor, note, oneLine, usd } from './output.ts';
import { DASH, stdinBytes } from './stdin.ts';
import { walletOf } from './who-pays.ts';

const USD_MAX = 1;
const TRIES = 4;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HOPS_MAX = 5;
const AGAIN_MS = 2_000;

const requestOf = async ({ method, data, header = [] }: Options): Promise<RequestInit> => {
  const isFile = data?.startsWith('@') === true;
  const name = data?.slice(1) ?? '';
  const body = isFile ? await (name === DASH ? stdinBytes() : readFile(name)) : data;
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

/**
 * Calls an address and follows its redirects. It sends headers and a body only to the given host. To send them to
 * another host, the user must name that host.
 */
const follow = async (
  given: string,
  request: RequestInit,
): Promise<{ readonly answer: Response; readonly url: string; readonly request: RequestInit }> => {
  let url = new URL(given);
  let asked = request;
  for (let hops = 0; ; hops += 1) {
    const answer = await fetch(url.href, { ...asked, redirect: 'manual' }).catch((error: unknown) => {
      throw new NoAnswer(undefined, error);
    });
    const location = answer.headers.get('location');
    if (!REDIRECTS.has(answer.status) || location === null) return { answer, url: url.href, request: asked };
    if (!URL.canParse(location, url.href) || hops === HOPS_MAX)
      throw new NotPaid('Nothing was signed: it sends from address to address.');
    const next = new URL(location, url);
    const carries = [...new Headers(asked.headers).keys()].length > 0 || asked.body !== undefined;
    if (next.origin !== url.origin && carries) {
      const what = 'its body and headers go to no other host';
      throw new NotPaid(
        `Nothing was signed: it sends on to ${oneLine(next.href)}, and ${what}. Name that address instead.`,
      );
    }
    url = next;
    const becomesGet = answer.status === 303 || (answer.status < 303 && asked.method === 'POST');
    if (becomesGet) asked = { headers: asked.headers ?? {}, method: 'GET' };
  }
};

/** Sends the signed payment again until there is an answer. This is safe, because a payment can be taken only once. */
const sendPaid = async (url: string, request: RequestInit): Promise<Response> => {
  for (let tried = 1; ; tried += 1) {
    try {
      // The command sends a signed payment only to the host that requested it.
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

const isText = (type: string): boolean => /^text\/|json|xml|^$/.test(type);

/** The file of an answer, or its text. Neither is set if the text was already printed. */
interface Kept {
  readonly file?: string;
  readonly body?: string;
}

const isWritten = ({ file, body }: Kept): boolean => file === undefined && body === undefined;

/**
 * Returns a text answer if `--out` is not set. It writes any other answer to the file of `--out`, or by default to a
 * new file.
 */
const keep = async (answer: Response, { out }: Options): Promise<Kept> => {
  const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
  if (out === undefined && isText(type)) return { body: await answer.text() };
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (out === DASH) {
    process.stdout.write(bytes);
    return {};
  }
  const file = out ?? nameFor(new URL(answer.url).pathname.split('/').pop() ?? '', endingOf(bytes));
  await writeFile(file, bytes);
  return { file };
};

const parsed = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
};

/** Shows the requirements of any x402 address, and pays one call to it. */
export const pay = async (call: Call): Promise<Said> => {
  const { options } = call;
  const given = only(call, 'address');
  if (!/^https?:\/\//.test(given) || !URL.canParse(given)) throw new Misused(`${given} is no http address.`);
  const max = number(options.max, 'max') ?? USD_MAX;
  const { answer: first, url, request } = await follow(given, await requestOf(options));
  if (first.status !== 402) {
    const kept = await keep(first, options);
    const text = kept.file ?? kept.body ?? '';
    note(`It answers ${first.status} and asks for no payment.\n`);
    return {
      json: { status: first.status, file: kept.file, body: parsed(kept.body) },
      text,
      isWritten: isWritten(kept),
      exitCode: first.ok ? 0 : 1,
    };
  }
  const asked = readAsked(first.headers, await first.text());
  if (asked === undefined)
    throw new NotPaid('It answers 402, but does not say what to pay in a way of x402.');
  const { offer, objections } = chosenOf(asked.offers, payableOf(payableOptions(options)));
  const shown = offer ?? asked.offers[0];
  if (shown !== undefined) note(`${url}\n${describe(shown, asked)}\n`);
  if (offer === undefined) {
    const reasons = objections.map((one) => oneLine(one)).join('; ');
    const name = /is not one of yours/.test(reasons) ? '--network' : '--asset';
    const more = /not one of yours|not named/.test(reasons) ? ` ${name} names one.` : '';
    throw new NotPaid(`Nothing was signed: ${reasons || 'it offers no way to pay'}.${more}`);
  }
  if (Number(offer.amount) > max * 1e6)
    throw new NotPaid(`Nothing was signed: it asks for more than $${max}. --max raises that.`);
  const wallet = await walletOf();
  if (wallet === undefined)
    throw new NotPaid('Nothing was signed: to pay it, put the key of a wallet into LAMPPOST_PRIVATE_KEY.');
  if (!(await agrees(options, 'Pay this?'))) throw new NotPaid('Nothing was signed.');

  const payload = await authorize(transferFor(offer, wallet.address), wallet);
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
      ? 'The answer does not mention the payment: look at your wallet.'
      : `It was refused with ${answer.status}${settlement === undefined ? '' : `: ${oneLine(settlement['errorReason'] ?? '')}`}.`;
  note(`${receipt}\n`);
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
    isWritten: isWritten(kept),
    exitCode: answer.ok ? 0 : answer.status === 402 ? 3 : 1,
  };
};
