import { connect } from 'node:tls';

import { Lamppost, type Receipt } from '../lamppost.ts';
import { fromBase64 } from '../wallet.ts';
import { type Call, type Said } from './command.ts';
import { Misused, keyOf } from './options.ts';
import { oneLine, usd } from './output.ts';
import { asAddress } from './who-pays.ts';

type Outcome = 'ok' | 'look' | 'bad' | 'skipped';

interface Finding {
  readonly name: string;
  readonly outcome: Outcome;
  readonly text: string;
  /** What to do about it. */
  readonly mend?: string;
}

type Verdict = Omit<Finding, 'name'>;

const ok = (text: string): Verdict => ({ outcome: 'ok', text });
const look = (text: string, mend: string): Verdict => ({ outcome: 'look', text, mend });
const bad = (text: string, mend: string): Verdict => ({ outcome: 'bad', text, mend });
const skipped = (text: string): Verdict => ({ outcome: 'skipped', text });

const TIMEOUT_MS = 15_000;
const SLOW_MS = 2_000;
const CERTIFICATE_DAYS = 14;
const CLOCK_SECONDS = { look: 5, bad: 60 };
/** What proxies commonly take as the head of an answer. */
const HEADER_BYTES_MAX = 8_000;
const DAY_MS = 86_400_000;
const NOWHERE = /^0x0+(dead)?$/i;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
const PROMPT = { messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 16 };

type Json = Readonly<Record<string, unknown>>;

interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
  readonly ms: number;
}

/** One service as a stranger sees it. What was asked once is remembered. */
class Patient {
  readonly base: URL;
  private readonly known = new Map<string, Promise<Heard>>();

  constructor(
    address: string,
    readonly key: string | undefined,
  ) {
    this.base = new URL(address.endsWith('/') ? address : `${address}/`);
  }

  get isHere(): boolean {
    return LOOPBACK.test(this.base.hostname);
  }

  get(path: string): Promise<Heard> {
    const known = this.known.get(path) ?? this.send(path);
    this.known.set(path, known);
    return known;
  }

  post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Heard> {
    return this.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  /** The same as whoever has the key. */
  withKey(path: string, body?: object): Promise<Heard> {
    const headers = { 'x-api-key': this.key ?? '' };
    return body === undefined ? this.send(path, { headers }) : this.post(path, body, headers);
  }

  async send(path: string, init: RequestInit = {}): Promise<Heard> {
    const began = performance.now();
    const url = new URL(path.replace(/^\//, ''), this.base);
    const answer = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await answer.text();
    let json: Json = {};
    try {
      json = JSON.parse(text) as Json;
    } catch {
      // What is no JSON has nothing in it that is asked for.
    }
    return { status: answer.status, headers: answer.headers, text, json, ms: performance.now() - began };
  }

  async isSandbox(): Promise<boolean> {
    const { sandbox = [] } = (await this.get('/v1/agent/manifest.json')).json as { sandbox?: string[] };
    return sandbox.some((part) => part.startsWith('x402'));
  }
}

interface Requirement {
  readonly scheme?: string;
  readonly network?: string;
  readonly amount?: string;
  readonly asset?: string;
  readonly payTo?: string;
  readonly maxTimeoutSeconds?: number;
  readonly extra?: { readonly name?: string; readonly version?: string };
}

const requiredOf = ({
  headers,
}: Heard): { accepts?: readonly Requirement[]; resource?: { url?: string } } => {
  const text = headers.get('payment-required');
  return text === null ? {} : (fromBase64(text) as { accepts?: Requirement[]; resource?: { url?: string } });
};

const expiryOf = (base: URL): Promise<Date | undefined> =>
  new Promise((resolve) => {
    const socket = connect({
      host: base.hostname,
      port: Number(base.port || 443),
      servername: base.hostname,
      timeout: TIMEOUT_MS,
    });
    const end = (date?: Date): void => {
      socket.destroy();
      resolve(date);
    };
    socket.once('secureConnect', () => end(new Date(socket.getPeerCertificate().valid_to)));
    socket.once('error', () => end());
    socket.once('timeout', () => end());
  });

const codeOf = ({ json }: Heard): string | undefined =>
  (json['error'] as { code?: string } | undefined)?.code;

type Check = (patient: Patient) => Promise<Verdict>;

const CHECKS: Readonly<Record<string, Check>> = {
  health: async (patient) => {
    const { status, json, ms } = await patient.get('/health/ready');
    const parts = Object.entries((json['parts'] ?? {}) as Record<string, string>);
    const ill = parts.filter(([, how]) => how !== 'ok').map(([name, how]) => `${name} is ${how}`);
    if (status !== 200)
      return bad(
        `not ready (${status}): ${ill.join(', ') || 'it does not say why'}`,
        'Look at its log, and at the part that it names.',
      );
    if (ill.length > 0) return look(ill.join(', '), 'It works, but not all of it: look at that part.');
    if (ms > SLOW_MS)
      return look(`ready, after ${Math.round(ms)} ms`, 'Look at the database and at the network between.');
    return ok(`ready: ${parts.map(([name]) => name).join(', ')}`);
  },

  https: async ({ base, isHere }) => {
    if (base.protocol === 'http:')
      return isHere
        ? ok('none is needed on this machine')
        : bad(
            'keys and sign-ins travel where anybody can read them',
            'Put it behind a proxy that speaks https, and set PUBLIC_URL to that.',
          );
    const until = await expiryOf(base);
    if (until === undefined)
      return bad('its certificate could not be seen', 'Look at the proxy in front of it.');
    const days = Math.floor((until.getTime() - Date.now()) / DAY_MS);
    return days < CERTIFICATE_DAYS
      ? look(`the certificate ends in ${days} days`, 'See that it is renewed by itself.')
      : ok(`a certificate for ${days} more days`);
  },

  clock: async (patient) => {
    const asked = Date.now();
    const { headers } = await patient.send('/health/live');
    const theirs = Date.parse(headers.get('date') ?? '');
    if (Number.isNaN(theirs)) return skipped('it sends no Date');
    // Their clock is read in whole seconds, somewhere between our question and their answer.
    const off = Math.round(Math.max(0, Math.abs(theirs + 500 - (asked + Date.now()) / 2) - 500) / 1_000);
    const text = `${off} seconds from the one here`;
    if (off >= CLOCK_SECONDS.bad)
      return bad(text, 'Payments and sign-ins carry times: set both clocks by NTP.');
    return off >= CLOCK_SECONDS.look ? look(text, 'Set both clocks by NTP.') : ok(text);
  },

  manifest: async (patient) => {
    const { status, json } = await patient.get('/v1/agent/manifest.json');
    const {
      guarantees = [],
      links = {},
      version,
    } = json as {
      guarantees?: readonly object[];
      links?: Record<string, string>;
      version?: string;
    };
    if (status !== 200 || guarantees.length === 0)
      return bad(
        `no manifest at /v1/agent/manifest.json (${status})`,
        'Is this a Lamppost service? Look at the address.',
      );
    const foreign = Object.values(links).find((url) => !url.startsWith(patient.base.href.replace(/\/$/, '')));
    if (foreign !== undefined)
      return bad(
        `its links lead to ${oneLine(new URL(foreign).origin)}`,
        `Set PUBLIC_URL to ${patient.base.href.replace(/\/$/, '')}, or ask for it there.`,
      );
    return ok(`version ${oneLine(version)}, ${guarantees.length} promises`);
  },

  'sandbox or real': async (patient) => {
    const { sandbox = [] } = (await patient.get('/v1/agent/manifest.json')).json as {
      sandbox?: readonly string[];
    };
    if (sandbox.length === 0) return ok('real: models, payments in USDC and by card');
    const parts = sandbox.map((part) => oneLine(part).replace(/ \(.*/, '')).join(', ');
    return patient.isHere || sandbox.length === 3
      ? ok(`sandbox: ${parts}. No real money`)
      : look(
          `half a sandbox: ${parts}`,
          'Set what is missing, or say that it is meant: what is real costs real money.',
        );
  },

  documents: async (patient) => {
    const paths = ['/openapi.json', '/llms.txt', '/v1/agent/guide.md', '/guides', '/.well-known/x402'];
    const answers = await Promise.all(paths.map((path) => patient.get(path)));
    const missing = paths.filter((_, index) => answers[index]?.status !== 200);
    if (missing.length > 0)
      return bad(
        `${missing.join(', ')} can't be had`,
        'Run npm run build before it is started, and see what the proxy lets through.',
      );
    const { openapi, paths: routes = {} } = answers[0]!.json as { openapi?: string; paths?: object };
    if (!openapi?.startsWith('3.'))
      return bad('/openapi.json is no OpenAPI document', 'See what the proxy makes of it.');
    return ok(`OpenAPI ${oneLine(openapi)} with ${Object.keys(routes).length} addresses, guides, llms.txt`);
  },

  models: async (patient) => {
    const { json } = await patient.get('/v1/agent/models');
    const { models = [], textModels = [] } = json as {
      models?: readonly object[];
      textModels?: readonly object[];
    };
    return models.length + textModels.length === 0
      ? bad(
          'nothing is for sale',
          'Set the key of a provider that the catalog has routes to; the log says which.',
        )
      : ok(`${models.length} for images and videos, ${textModels.length} for text`);
  },

  prices: async (patient) => {
    const body = { ...PROMPT };
    const unpaid = await patient.post('/v1/agent/chat', body);
    if (codeOf(unpaid) === 'NOT_OFFERED') return skipped('no text is sold here');
    const asked = requiredOf(unpaid).accepts?.[0]?.amount;
    const model = (
      (await patient.get('/v1/agent/models')).json as { textModels?: { id: string; default?: boolean }[] }
    ).textModels;
    const modelId = model?.find((one) => one.default === true)?.id ?? model?.[0]?.id;
    const quote = await patient.post('/v1/agent/quote', {
      modelId,
      ...body,
      prompt: 'Hello.',
      messages: undefined,
    });
    const { priceMicro, quoteId } = quote.json as { priceMicro?: number; quoteId?: string };
    if (unpaid.status !== 402 || asked === undefined)
      return bad(
        `a call without payment is answered with ${unpaid.status} instead of 402`,
        'See what stands between: a proxy may swallow 402.',
      );
    if (String(priceMicro) !== asked)
      return bad(
        `a quote says ${priceMicro}, the 402 asks for ${oneLine(asked)}`,
        'Do all its processes run the same version with the same settings?',
      );
    const locked = await patient.post('/v1/agent/chat', { ...body, model: modelId, quoteId });
    const again = requiredOf(locked).accepts?.[0]?.amount;
    return again === asked
      ? ok(`the quote of ${usd(Number(asked))} is what the 402 asks, and is kept to`)
      : bad(
          `with its quote the call asks for ${oneLine(again ?? locked.status)}`,
          'Do all its processes have the same SIGNING_SECRET?',
        );
  },

  'payment asked': async (patient) => {
    const unpaid = await patient.post('/v1/agent/chat', PROMPT);
    if (codeOf(unpaid) === 'NOT_OFFERED') return skipped('no text is sold here');
    const header = unpaid.headers.get('payment-required') ?? '';
    const { accepts: [accepted = {}] = [], resource } = requiredOf(unpaid);
    const [old = {}] = (unpaid.json['accepts'] ?? []) as readonly Json[];
    const problems = [
      header === '' && 'there is no PAYMENT-REQUIRED header',
      header.length > HEADER_BYTES_MAX &&
        `its header of ${header.length} bytes is more than some proxies take`,
      accepted.scheme !== 'exact' && 'its scheme is not `exact`',
      !/^eip155:\d+$/.test(accepted.network ?? '') && 'its network is none',
      !/^0x[0-9a-fA-F]{40}$/.test(accepted.asset ?? '') && 'its token is no address',
      !/^0x[0-9a-fA-F]{40}$/.test(accepted.payTo ?? '') && 'its payee is no address',
      !/^\d+$/.test(accepted.amount ?? '') && 'its amount is no number',
      !((accepted.maxTimeoutSeconds ?? 0) > 0) && 'it leaves no time to pay',
      (accepted.extra?.name ?? '') === '' && 'it does not name the token, which clients sign for',
      old['maxAmountRequired'] !== accepted.amount &&
        'clients of the first version would read another amount',
      resource?.url?.startsWith(patient.base.origin) !== true && 'it is for another address than this one',
      unpaid.headers.get('x-charge-state') !== 'none' && 'it does not say that nothing was charged',
    ].filter((one) => one !== false);
    if (problems.length > 0)
      return bad(
        problems.join('; '),
        'Stock x402 clients could not pay. Look at PUBLIC_URL, the X402 settings and the proxy.',
      );
    if (NOWHERE.test(accepted.payTo ?? '') && !(await patient.isSandbox()))
      return bad('payments would go to an address that nobody has', 'Set X402_PAY_TO.');
    return ok(`exact, ${oneLine(accepted.network ?? '')}, to ${oneLine(accepted.payTo ?? '')}`);
  },

  errors: async (patient) => {
    const wrong = await patient.post('/v1/agent/generate', { prompt: 'x', duration: -1 });
    const nowhere = await patient.get('/v1/agent/there-is-no-such-thing');
    const problems = [
      wrong.status !== 400 &&
        codeOf(wrong) !== 'NOT_OFFERED' &&
        `a wrong body is ${wrong.status} instead of 400`,
      wrong.status === 402 && 'money is asked for before the body is looked at',
      codeOf(nowhere) !== 'NOT_FOUND' && `a wrong address is ${nowhere.status}, without an error of ours`,
      !nowhere.headers.has('x-request-id') && 'answers have no X-Request-Id',
    ].filter((one) => one !== false);
    return problems.length > 0
      ? bad(problems.join('; '), 'See whether a proxy answers instead of the service.')
      : ok('a wrong call is refused before it is paid, and says what is wrong');
  },

  browsers: async (patient) => {
    const origin = 'https://example.com';
    const { headers } = await patient.send('/v1/agent/models', { headers: { origin } });
    const preflight = await patient.send('/v1/agent/chat', {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,payment-signature,x-api-key',
      },
    });
    const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase() ?? '';
    const exposed = headers.get('access-control-expose-headers')?.toLowerCase() ?? '';
    const problems = [
      headers.get('access-control-allow-origin') !== '*' && 'pages elsewhere may not call it',
      headers.get('access-control-allow-credentials') === 'true' && 'pages elsewhere may use sessions',
      !allowed.includes('payment-signature') && 'pages may not pay',
      !exposed.includes('payment-required') && 'pages do not see what to pay',
    ].filter((one) => one !== false);
    return problems.length > 0
      ? bad(problems.join('; '), 'The service answers CORS by itself; see whether a proxy changes it.')
      : ok('pages of others may call and pay, without sessions');
  },

  limits: async (patient) => {
    const { headers } = await patient.send('/v1/agent/models');
    return headers.has('ratelimit-remaining')
      ? ok(`${oneLine(headers.get('ratelimit-limit') ?? '')} free calls a minute`)
      : look(
          'none is told on free calls',
          'Is RATE_LIMIT_FREE off? Behind a proxy, set TRUSTED_PROXIES so that callers are told apart.',
        );
  },

  tools: async (patient) => {
    const { status } = await patient.post(
      '/mcp',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'doctor', version: '1' },
        },
      },
      { accept: 'application/json, text/event-stream' },
    );
    return status === 200
      ? ok('MCP answers at /mcp')
      : bad(`MCP answers ${status}`, 'A proxy must pass Host on, and must not buffer event streams.');
  },

  secrets: async (patient) => {
    if (patient.isHere) return skipped('on this machine they may be seen');
    const answers = await Promise.all([patient.send('/metrics'), patient.send('/v1/admin/drift')]);
    return answers.some(({ status }) => status === 200)
      ? bad(
          'metrics or admin routes are open to everybody',
          'Set METRICS_TOKEN and ADMIN_TOKEN, and TRUSTED_PROXIES.',
        )
      : ok('metrics and admin routes are closed to strangers');
  },

  'receipt keys': async (patient) => {
    const { keys = [] } = (await patient.get('/.well-known/jwks.json')).json as { keys?: readonly Json[] };
    return keys.some(({ kty, crv, x }) => kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string')
      ? ok(`${keys.length} at /.well-known/jwks.json`)
      : bad(
          'there is no key that could prove a receipt',
          'See what the proxy lets through below /.well-known.',
        );
  },

  'dry run': async (patient) => {
    if (patient.key === undefined) return skipped('needs --key');
    const before = await patient.withKey('/v1/agent/balance');
    if (before.status !== 200)
      return bad(
        `the key is refused: ${oneLine(codeOf(before) ?? String(before.status))}`,
        'Take another key.',
      );
    const unpaid = await patient.post('/v1/agent/chat', PROMPT);
    const dry = await patient.withKey('/v1/agent/chat', { ...PROMPT, dryRun: true });
    const after = await patient.withKey('/v1/agent/balance');
    const list = requiredOf(unpaid).accepts?.[0]?.amount;
    if (codeOf(dry) === 'INSUFFICIENT_FUNDS')
      return look('the account of the key is empty', 'Top it up to see more.');
    if (dry.json['dryRun'] !== true)
      return bad(`a dry run is answered with ${dry.status}`, 'Is this version older than the command?');
    if (String(dry.json['priceMicro']) !== list)
      return bad(
        `a dry run says ${String(dry.json['priceMicro'])}, the 402 asks for ${list}`,
        'Do all its processes have the same settings?',
      );
    return before.json['balanceMicro'] === after.json['balanceMicro']
      ? ok(`says ${usd(Number(list))}, and leaves the balance at ${usd(Number(after.json['balanceMicro']))}`)
      : look('the balance moved meanwhile', 'Somebody else may have paid with it; try again.');
  },

  'receipt proof': async (patient) => {
    if (patient.key === undefined) return skipped('needs --key');
    const { json } = await patient.withKey('/v1/agent/events?types=charge.charged&limit=1');
    const [event] = (json['events'] ?? []) as readonly { readonly data?: { readonly id?: string } }[];
    if (event?.data?.id === undefined) return skipped('this key has paid nothing yet');
    const client = new Lamppost({ baseUrl: patient.base.href });
    const receipt: Receipt = await client.receipts.get(event.data.id);
    if (!(await client.receipts.verify(receipt)))
      return bad(
        `the receipt of ${oneLine(receipt.id)} is not proven by its keys`,
        'Has SIGNING_SECRET changed, or do processes have different ones?',
      );
    const forged = await client.receipts.verify({ ...receipt, priceMicro: receipt.priceMicro + 1 });
    return forged
      ? bad('a changed receipt passes as well', 'This command is broken: do not trust what it says.')
      : ok('the newest charge is proven, and a changed one is not');
  },
};

const MARKS: Readonly<Record<Outcome, string>> = { ok: '✓', look: '!', bad: '✗', skipped: '-' };
const COLOURS: Readonly<Record<Outcome, string>> = { ok: '32', look: '33', bad: '31', skipped: '2' };

const lineOf = ({ name, outcome, text, mend }: Finding, isColoured: boolean): string => {
  const mark = isColoured ? `\u001B[${COLOURS[outcome]}m${MARKS[outcome]}\u001B[0m` : MARKS[outcome];
  return `${mark} ${name.padEnd(16)} ${text}${mend === undefined ? '' : `\n${' '.repeat(19)}${mend}`}`;
};

const tried = async (name: string, check: Check, patient: Patient): Promise<Finding> => {
  try {
    return { name, ...(await check(patient)) };
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } };
    return {
      name,
      ...bad(
        `no answer: ${cause?.code ?? message}`,
        'Try again; then look at the service and at the network.',
      ),
    };
  }
};

/** Examines a service from the outside, one thing after another, and says what to mend. */
export const doctor = async ({ words, options, baseUrl }: Call): Promise<Said> => {
  const [word, ...rest] = words;
  if (rest.length > 0) throw new Misused('Give one address.');
  const address = word === undefined ? baseUrl : asAddress(word);
  const patient = new Patient(address, keyOf(options));
  const findings = [
    await tried(
      'reachable',
      async () => {
        const { status, ms } = await patient.send('/health/live');
        return status === 200
          ? ok(`${patient.base.href} answers in ${Math.round(ms)} ms`)
          : bad(`${patient.base.href} answers ${status}`, 'Is the address right, and the service started?');
      },
      patient,
    ),
  ];
  const isThere = findings[0]?.outcome === 'ok';
  if (isThere)
    for (const [name, check] of Object.entries(CHECKS)) findings.push(await tried(name, check, patient));
  const wrong = findings.filter(({ outcome }) => outcome === 'bad').length;
  const isColoured = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
  const summary = wrong === 0 ? 'Nothing has to be mended.' : `${wrong} of ${findings.length} to mend.`;
  return {
    json: { url: patient.base.href, isWell: wrong === 0, findings },
    text: [...findings.map((one) => lineOf(one, isColoured)), '', summary].join('\n'),
    exitCode: wrong === 0 ? 0 : 1,
  };
};
