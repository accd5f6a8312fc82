import { connect } from 'node:tls';

import { oneLine } from './output.ts';
import { bad, ok, skipped, warning } from './findings.ts';
import { type Check, codeOf } from './patient.ts';

const TIMEOUT_MS = 15_000;
const SLOW_MS = 2_000;
const CERTIFICATE_DAYS = 14;
const CLOCK_SECONDS = { warning: 5, bad: 60 };
const DAY_MS = 86_400_000;

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

/** Checks the network: reachability, CORS, proxies and the service's statements about itself. */
export const NETWORK: Readonly<Record<string, Check>> = {
  health: async (patient) => {
    const { status, json, ms } = await patient.get('/health/ready');
    const parts = Object.entries((json['parts'] ?? {}) as Record<string, string>);
    const ill = parts.filter(([, how]) => how !== 'ok').map(([name, how]) => `${name} is ${how}`);
    if (status !== 200)
      return bad(
        `not ready (${status}): ${ill.join(', ') || 'it does not say why'}`,
        'Look at its log, and at the failing part.',
      );
    if (ill.length > 0) return warning(ill.join(', '), 'It works in part: look at the failing part.');
    if (ms > SLOW_MS)
      return warning(`ready, after ${Math.round(ms)} ms`, 'Look at the database, and at the network.');
    return ok(`ready: ${parts.map(([name]) => name).join(', ')}`);
  },

  https: async ({ base, isHere }) => {
    if (base.protocol === 'http:')
      return isHere
        ? ok('none is needed on this machine')
        : bad(
            'keys and sign-ins travel unencrypted',
            'Put it behind an https proxy, and set PUBLIC_URL to the address of the proxy.',
          );
    const until = await expiryOf(base);
    if (until === undefined)
      return bad('its certificate could not be seen', 'Look at the proxy in front of it.');
    const days = Math.floor((until.getTime() - Date.now()) / DAY_MS);
    return days < CERTIFICATE_DAYS
      ? warning(`the certificate ends in ${days} days`, 'Check that it is renewed automatically.')
      : ok(`a certificate for ${days} more days`);
  },

  clock: async (patient) => {
    const asked = Date.now();
    const { headers } = await patient.send('/health/live');
    const theirs = Date.parse(headers.get('date') ?? '');
    if (Number.isNaN(theirs)) return skipped('it sends no Date');
    // The service's header has only whole seconds, and the service read its clock between our request and its answer.
    const off = Math.round(Math.max(0, Math.abs(theirs + 500 - (asked + Date.now()) / 2) - 500) / 1_000);
    const text = `${off} seconds from the one here`;
    if (off >= CLOCK_SECONDS.bad)
      return bad(text, 'Payments and sign-ins carry times: set both clocks by NTP.');
    return off >= CLOCK_SECONDS.warning ? warning(text, 'Set both clocks by NTP.') : ok(text);
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
    const { sandbox } = (await patient.get('/v1/agent/manifest.json')).json as {
      sandbox?: readonly string[];
    };
    if (sandbox === undefined) return skipped('the manifest does not say it');
    if (sandbox.length === 0) return ok('real: models and payments');
    const parts = sandbox.map((part) => oneLine(part).replace(/ \(.*/, '')).join(', ');
    return patient.isHere || sandbox.length === 3
      ? ok(`sandbox: ${parts}${sandbox.length === 3 ? '. No real money' : ''}`)
      : warning(
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
        `${missing.join(', ')} can't be fetched`,
        'Run npm run build before it is started, and see what the proxy lets through.',
      );
    const { openapi, paths: routes = {} } = answers[0]!.json as { openapi?: string; paths?: object };
    if (!openapi?.startsWith('3.'))
      return bad('/openapi.json is no OpenAPI document', 'Check whether the proxy changes it.');
    return ok(`OpenAPI ${oneLine(openapi)} with ${Object.keys(routes).length} addresses, guides, llms.txt`);
  },

  'models for sale': async (patient) => {
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

  errors: async (patient) => {
    const wrong = await patient.post('/v1/agent/generate', { prompt: 'x', duration: -1 });
    const nowhere = await patient.get('/v1/agent/there-is-no-such-thing');
    const problems = [
      wrong.status !== 400 &&
        codeOf(wrong) !== 'NOT_OFFERED' &&
        `a wrong body is ${wrong.status} instead of 400`,
      wrong.status === 402 && 'payment is required before the body is checked',
      codeOf(nowhere) !== 'NOT_FOUND' &&
        `an unknown address gets ${nowhere.status}, without an error of ours`,
      !nowhere.headers.has('x-request-id') && 'answers have no X-Request-Id',
    ].filter((one) => one !== false);
    return problems.length > 0
      ? bad(problems.join('; '), 'Check whether a proxy answers instead of the service.')
      : ok('a wrong call is refused before payment, with the reason');
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
      exposed !== '*' && !exposed.includes('payment-required') && 'pages do not see the payment requirements',
    ].filter((one) => one !== false);
    return problems.length > 0
      ? bad(
          problems.join('; '),
          'The service sends the CORS headers itself; check whether a proxy changes them.',
        )
      : ok('pages of other sites may call and pay, without sessions');
  },

  limits: async (patient) => {
    const { headers } = await patient.send('/v1/agent/models');
    return headers.has('ratelimit-remaining')
      ? ok(`${oneLine(headers.get('ratelimit-limit') ?? '')} free calls a minute`)
      : warning(
          'free calls show none',
          'Is RATE_LIMIT_FREE off? Behind a proxy, set TRUSTED_PROXIES so that callers are distinguished.',
        );
  },

  tools: async (patient) => {
    const { status } = await patient.post(
      '/mcp?payment=x402',
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
      : bad(`MCP answers ${status}`, 'A proxy must forward Host, and must not buffer event streams.');
  },

  'closed routes': async (patient) => {
    if (patient.isHere) return skipped('on this machine they may be seen');
    const answers = await Promise.all([patient.send('/metrics'), patient.send('/v1/admin/drift')]);
    return answers.some(({ status }) => status === 200)
      ? bad(
          'metrics or admin routes are open to everybody',
          'Set METRICS_TOKEN and ADMIN_TOKEN, and TRUSTED_PROXIES.',
        )
      : ok('metrics and admin routes are closed to strangers');
  },
};
