import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';

import { OUTSIDE_CHECKS } from '#faces/doctor/outside-checks';
import { readSettings } from '../../src/settings';
import { startLocalChain } from '../../tools/chain/local-chain';
import { ONE_FILE } from '../support/build';
import { freePort } from '../../tools/chain/free-port';
import { BuiltService, newFolder, removeFolders } from '../support/built-service';
import { runCommand } from '../support/code-blocks';
import { FakeS3 } from '../support/fake-s3';
import { LoopbackServer, type Received } from '../support/loopback-server';
import { cloneDatabase } from '../support/postgres';

const DOCTOR = [ONE_FILE, 'doctor', '--json'];
const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const secret = (): string => `a9${randomBytes(32).toString('hex')}`;

type Env = Readonly<Record<string, string>>;
type Named = Readonly<Record<string, readonly string[]>>;

/** A vendor, a payment processor and a facilitator, which accept one key. */
class Outside extends LoopbackServer {
  readonly asked: string[] = [];

  protected serve({ method, path, headers }: Received, response: ServerResponse): void {
    this.asked.push(`${method} ${path}`);
    const isKnown = headers.authorization === 'Bearer good_test_key';
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kinds: [{ scheme: 'exact', network: 'eip155:8453' }], data: [] }));
  }
}

describe('the doctor of a configuration', () => {
  let outside: Outside;

  beforeAll(async () => {
    outside = await new Outside().start();
  });
  afterAll(async () => {
    await outside.stop();
    removeFolders();
  });

  /** Its findings, by outcome, and its exit code. */
  const examined = async (
    env: Env,
  ): Promise<{
    exitCode: number | null;
    found: Named;
    names: readonly string[];
    output: string;
    errors: string;
  }> => {
    const folder = newFolder();
    const quiet = { DATABASE_URL: '', REDIS_URL: '', TEST_REDIS_URL: '', DATA_DIR: folder };
    const { exitCode, output, errors } = await runCommand(process.execPath, DOCTOR, folder, {
      ...quiet,
      ...env,
    });
    const { findings } = JSON.parse(output) as { findings: { name: string; outcome: string }[] };
    const found: Record<string, string[]> = {};
    for (const { name, outcome } of findings) (found[outcome] ??= []).push(name);
    return { exitCode, found, names: findings.map(({ name }) => name), output: output + errors, errors };
  };
  const real = (key: string, url: string): Env => ({
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: key,
    BILLING_PROCESSOR: 'stripe',
    STRIPE_API_URL: url,
    STRIPE_SECRET_KEY: key,
    STRIPE_WEBHOOK_SECRET: 'whsec_x',
    X402_PAY_TO: PAY_TO,
  });

  it('finds nothing to mend where everything is well, and spends nothing', async () => {
    const [chain, s3, port, database] = await Promise.all([
      startLocalChain(),
      FakeS3.start(),
      freePort(),
      cloneDatabase(),
    ]);
    const { exitCode, found } = await examined({
      ...real('good_test_key', outside.origin),
      PORT: String(port),
      DATABASE_URL: database,
      SIGNING_SECRET: secret(),
      ADMIN_TOKENS: `ann:read:${secret()}`,
      X402_FACILITATOR: 'local',
      X402_RPC_URL: chain.rpcUrl,
      X402_RELAYER_KEY: chain.accounts[1]!.privateKey,
      BLOB_STORE: 's3',
      S3_ENDPOINT: s3.endpoint,
      S3_BUCKET: s3.bucket,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    });
    await Promise.all([chain.stop(), s3.stop()]);

    expect({ exitCode, found: { ...found, ok: found['ok']?.toSorted() } }).toEqual({
      exitCode: 0,
      found: {
        ok: expect.arrayContaining([
          'chain',
          'database',
          'media',
          'pooler',
          'providers',
          'public address',
          'relayer',
        ]),
        look: expect.arrayContaining(['database role', 'standby', 'cards']),
        skipped: ['facilitator', 'mail'],
      },
    });
    expect([s3.objects.size, new Set(outside.asked)]).toEqual([
      0,
      new Set(['GET /v1/models', 'GET /v1/balance']),
    ]);
  });

  it('names each part that is not as it should be, and no secret', async () => {
    const [port, nobody] = await Promise.all([freePort(), freePort()]);
    const gone = new URL(await cloneDatabase());
    gone.pathname = '/no_such_database';
    const { exitCode, found, output, errors } = await examined({
      ...real('a_wrong_key_of_ours', outside.origin),
      PORT: String(port),
      PUBLIC_URL: outside.origin,
      DATABASE_URL: gone.href,
      REDIS_URL: `redis://127.0.0.1:${nobody}`,
      SIGNING_SECRET: 'my-secret-my-secret-my-secret-my-secret',
      X402_FACILITATOR: 'http',
      X402_FACILITATOR_URL: outside.origin,
      X402_RPC_URL: `http://127.0.0.1:${nobody}/key-of-a-node`,
      X402_RELAYER_KEY: `0x${'1'.repeat(64)}`,
      BLOB_STORE: 's3',
      S3_ENDPOINT: `http://127.0.0.1:${nobody}`,
      S3_BUCKET: 'media',
      S3_ACCESS_KEY_ID: 'x',
      S3_SECRET_ACCESS_KEY: 'hunter2hunter2',
      SMTP_URL: `smtp://127.0.0.1:${nobody}`,
      SMTP_FROM: 'alerts@example.com',
      TRUSTED_PROXIES: '0.0.0.0/0',
    });

    expect({ exitCode, bad: found['bad'] }).toEqual({
      exitCode: 1,
      bad: [
        'secrets',
        'proxies',
        'database',
        'queues',
        'media',
        'chain',
        'facilitator',
        'providers',
        'cards',
        'mail',
        'public address',
      ],
    });
    expect(found['skipped']).toEqual(
      expect.arrayContaining([
        'database role',
        'model prices',
        'pooler',
        'database clock',
        'standby',
        'transparency log',
        'relayer',
      ]),
    );
    expect(output).not.toMatch(/hunter2|my-secret|a_wrong_key|key-of-a-node|1{20}/);
    expect(errors).not.toMatch(/ECONN|\n +at /);
    for (const who of ['Redis at ', '', 'SMTP '])
      expect(output).toContain(
        `"${who}127.0.0.1:${nobody} does not answer: nothing listens at the address (ECONNREFUSED)`,
      );
  });

  it('says in one line that a vendor is away, and which secrets are missing', async () => {
    const { found, output, errors } = await examined({
      OPENAI_COMPATIBLE_SERVERS: 'away',
      AWAY_BASE_URL: `http://127.0.0.1:${await freePort()}/v1`,
      PORT: String(await freePort()),
      ALLOW_SANDBOX_MIX: 'true',
    });

    expect([errors, found['look']]).toEqual(['', expect.arrayContaining(['secrets', 'models'])]);
    expect(found['ok']).toContain('setting names');
    expect(output).toContain('away does not list its models: it could not be reached: nothing listens');
    expect(output).toMatch(/SIGNING_SECRET is not set, so the service uses the secret in \S+signing-secret/);
  });

  it('looks at a service that runs as its callers see it, too', async () => {
    const service = await BuiltService.start({ LOG_LEVEL: 'silent' });
    const [{ exitCode, found, names }, elsewhere] = await Promise.all([
      examined({ PORT: new URL(service.url).port, DATA_DIR: service.dataDir }),
      examined({ PORT: String(await freePort()), PUBLIC_URL: service.url }),
    ]);
    const { status } = await fetch(`${service.url}/health/ready`);
    await service.end();

    expect([exitCode, status]).toEqual([0, 200]);
    expect(found['ok']).toEqual(
      expect.arrayContaining(['public address', 'database', 'prices', 'payment asked', 'errors']),
    );
    expect(names).toEqual([...new Set(names)]);
    expect([elsewhere.exitCode, elsewhere.found['bad']]).toEqual([1, ['public address']]);
    expect(elsewhere.output).toContain('Set PORT to the port of a process on this host.');
  });

  it('says that the service limits it, instead of what it could not see', async () => {
    const service = await BuiltService.start({ LOG_LEVEL: 'silent', RATE_LIMIT_FREE: '1' });
    await fetch(`${service.url}/v1/agent/models`);
    const { output } = await examined({ PORT: new URL(service.url).port, DATA_DIR: service.dataDir });
    await service.end();

    expect(output).toContain('the service limits calls from here');
    expect(output).not.toMatch(/real: models and payments|without an owner|nothing is for sale/);
  });

  it('reads from a facilitator whether it runs payment channels, and who signs their claims', async () => {
    const [exact, channels] = ['exact', 'batch-settlement'].map((scheme) => ({
      scheme,
      network: 'eip155:8453',
    }));
    const verdictOf = async (kinds: readonly object[], more: Env = {}) => {
      const supported = await new (class extends LoopbackServer {
        protected serve(_: Received, response: ServerResponse): void {
          response.end(JSON.stringify({ kinds }));
        }
      })().start();
      const named = { X402_FACILITATOR: 'http', X402_FACILITATOR_URL: supported.origin };
      const settings = readSettings({ ...real('good_test_key', outside.origin), ...named, ...more });
      const { outcome, text } = await OUTSIDE_CHECKS['facilitator']!(settings);
      await supported.stop();
      return `${outcome}: ${text.replace(/^\S+ settles on \S+[,;] /, '')}`;
    };
    const signs = { ...channels, extra: { receiverAuthorizer: PAY_TO } };

    expect([
      await verdictOf([exact!]),
      await verdictOf([exact!, channels!]),
      await verdictOf([exact!, channels!], { X402_CHANNEL_KEY: `0x${'1'.repeat(64)}` }),
      await verdictOf([exact!, signs]),
      await verdictOf([exact!, signs], { X402_CHANNELS: 'false' }),
    ]).toEqual([
      'ok: without payment channels',
      'look: but it signs no claims of payment channels',
      'ok: with payment channels',
      'ok: with payment channels',
      'ok: X402_CHANNELS is off',
    ]);
  });

  it('says why a facilitator or Stripe does not answer, without the password of its address', async () => {
    const nobody = `127.0.0.1:${await freePort()}`;
    const verdictOf = async (check: string, env: Env) =>
      OUTSIDE_CHECKS[check]!(readSettings({ ...real('good_test_key', `http://${nobody}`), ...env }));
    const facilitator = (url: string) => ({ X402_FACILITATOR: 'http', X402_FACILITATOR_URL: url });
    const why = `${nobody} does not answer: nothing listens at the address (ECONNREFUSED)`;

    expect([
      (await verdictOf('facilitator', facilitator(`http://ann:hunter2@${nobody}/key-of-ours`))).text,
      (await verdictOf('facilitator', facilitator(`http://${nobody}`))).text,
      (await verdictOf('cards', facilitator(`http://${nobody}`))).text,
    ]).toEqual([`${nobody} does not answer`, why, why]);
  });

  it('names misspelt settings of the file, and leaves the variables of other programs alone', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, '.env'), 'OPENAI_APIKEY=sk-test\nRATE_LIMIT_CHATT=5\n');
    const env = {
      DATABASE_URL: '',
      REDIS_URL: '',
      PORT: String(await freePort()),
      SMTP_HOST: 'x',
      AWS_REGION: 'x',
    };
    const { output } = await runCommand(process.execPath, DOCTOR, folder, env);
    const { findings } = JSON.parse(output) as { findings: { name: string; text: string }[] };

    expect(findings.find(({ name }) => name === 'setting names')?.text).toBe(
      'OPENAI_APIKEY is no setting of this version; did you mean OPENAI_API_KEY?; ' +
        'RATE_LIMIT_CHATT is no setting of this version; did you mean RATE_LIMIT_CHAT?',
    );
  });

  it.each([
    [['--jsn'], 2, 'The doctor does not know "--jsn".'],
    [['lp_x', 'lp_y'], 2, 'The doctor does not know "lp_y".'],
    [['--help'], 0, 'Usage: node '],
  ])('takes no other words: %j', async (words, code, text) => {
    const { exitCode, output, errors } = await runCommand(
      process.execPath,
      [...DOCTOR.slice(0, 2), ...words],
      newFolder(),
      {},
    );

    expect([exitCode, output + errors]).toEqual([code, expect.stringContaining(text)]);
  });

  it('says what is wrong with the settings themselves', async () => {
    const { exitCode, errors } = await runCommand(process.execPath, DOCTOR.slice(0, 2), newFolder(), {
      PORT: 'x',
    });

    expect([exitCode, errors]).toEqual([1, expect.stringContaining('PORT must be a whole number')]);
  });
});
