import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ServiceProcess } from '../faults/service-process';
import { WalletCaller } from '../support/caller';
import { catalogOf, textEntry } from '../support/catalogs';
import { expectEventually } from '../support/eventually';
import { type FakeFacilitator, startFakeFacilitator } from '../support/fake-facilitator';
import { FakeOpenai } from '../support/fake-openai';
import { FakeS3 } from '../support/fake-s3';
import { cloneDatabase } from '../support/postgres';

const BEFORE = 'the-token-of-before-0123456789';
const AFTER = 'the-token-of-after-0123456789';
const NEW_KEY = 'sk-the-new-key-of-the-vendor-0123456789';
const NEW_STORE_KEY = 'AKIANEW0123456789';
const ASK = { messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 16 };

describe('SIGHUP', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-reload-'));
  const file = join(folder, 'settings.env');
  let openai: FakeOpenai;
  let facilitator: FakeFacilitator;
  let store: FakeS3;
  let service: ServiceProcess;
  let oldKey: string;

  const write = (settings: Readonly<Record<string, string>>): void =>
    writeFileSync(
      file,
      Object.entries(settings)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );

  /** Sends the signal, and resolves when the service has logged the result. */
  const reload = async (settings: Readonly<Record<string, string>>): Promise<string> => {
    const from = service.said.length;
    write(settings);
    service.signal('SIGHUP');
    await expectEventually(() => service.said.slice(from).includes('The settings were read again'));
    return service.said.slice(from);
  };

  const chat = async (): Promise<number> => {
    const answer = await new WalletCaller().payingFetch()(`${service.url}/v1/agent/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ASK),
    });
    await answer.text();
    return answer.status;
  };

  const admin = async (token: string): Promise<number> =>
    (await fetch(`${service.url}/v1/admin/accounts`, { headers: { authorization: `Bearer ${token}` } }))
      .status;
  /** The request looks like one through a proxy, because a direct request from this machine needs no token. */
  const metrics = async (token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, via: '1.1 proxy' };
    return (await fetch(`${service.url}/metrics`, { headers })).status;
  };

  const storage = async (): Promise<string | undefined> => {
    const { parts } = (await (await fetch(`${service.url}/health/ready`)).json()) as {
      parts: Readonly<Record<string, string>>;
    };
    return parts['storage'];
  };

  const settingsWith = (token: string, key: string) => ({
    OPENAI_API_KEY: key,
    ADMIN_TOKEN: token,
    METRICS_TOKEN: `metrics-${token}`,
    X402_FACILITATOR_HEADERS: `{"Authorization":"Bearer facilitator-${token}"}`,
    S3_ACCESS_KEY_ID: store.accessKeyId,
    S3_SECRET_ACCESS_KEY: store.secretAccessKey,
  });

  beforeAll(async () => {
    [openai, facilitator, store] = await Promise.all([
      FakeOpenai.start(),
      startFakeFacilitator(),
      FakeS3.start(),
    ]);
    oldKey = openai.key;
    write(settingsWith(BEFORE, oldKey));
    service = await ServiceProcess.start({
      ...catalogOf([], [textEntry('some-model', ['openai:gpt'])]),
      DATABASE_URL: await cloneDatabase(),
      SETTINGS_FILE: file,
      OPENAI_BASE_URL: openai.env['OPENAI_BASE_URL']!,
      ...facilitator.settings,
      BLOB_STORE: 's3',
      S3_ENDPOINT: store.endpoint,
      S3_BUCKET: store.bucket,
      ALLOW_SANDBOX_MIX: 'true',
      LOG_LEVEL: 'info',
    });
  });

  afterAll(async () => {
    await service.terminate();
    await service.kill();
    await Promise.all([openai.stop(), facilitator.stop(), store.stop()]);
    rmSync(folder, { recursive: true });
  });

  it('takes new keys and tokens over, names what needs a restart, and disturbs no call', async () => {
    expect([await chat(), await admin(BEFORE), await admin(AFTER)]).toEqual([200, 200, 401]);
    const gate = openai.holdNext('chat');
    const running = chat();
    await gate.reached;
    const statuses = new Set<number>();
    const reading = new AbortController();
    const reads = (async () => {
      while (!reading.signal.aborted) statuses.add((await fetch(`${service.url}/v1/agent/models`)).status);
    })();

    openai.key = NEW_KEY;
    store.accessKeyId = NEW_STORE_KEY;
    await expectEventually(async () => (await storage()) === 'degraded');
    const said = await reload({
      ...settingsWith(AFTER, NEW_KEY),
      RATE_LIMIT_MEDIA: '7',
      FAL_KEY: 'fal-0123456789',
    });
    gate.open();
    reading.abort();
    await reads;

    expect([...statuses]).toEqual([200]);
    expect(await running).toBe(200);
    expect(await chat()).toBe(200);
    expect(openai.seen.map(({ headers }) => headers.authorization)).toEqual(
      [oldKey, oldKey, NEW_KEY].map((key) => `Bearer ${key}`),
    );
    const reported = new Set(facilitator.calls.map(({ headers }) => headers.authorization));
    expect([...reported]).toEqual([BEFORE, AFTER].map((token) => `Bearer facilitator-${token}`));
    await expectEventually(async () => (await storage()) === 'ok');
    expect([await admin(BEFORE), await admin(AFTER)]).toEqual([401, 200]);
    expect([await metrics(`metrics-${BEFORE}`), await metrics(`metrics-${AFTER}`)]).toEqual([404, 200]);
    expect(said).toContain(
      'New values are in use: ADMIN_TOKEN, METRICS_TOKEN, X402_FACILITATOR_HEADERS, S3_ACCESS_KEY_ID, OPENAI_API_KEY.',
    );
    // The environment has priority, as at the start. A key of another vendor would change the sold models.
    await expectEventually(() => service.said.includes('need a restart: FAL_KEY.'));
  });

  it('leaves all as it was where something is wrong, and says what', async () => {
    const wrong = { ...settingsWith(BEFORE, oldKey), LIVE_COSTS: 'sometimes' };
    expect(await reload(wrong)).toContain('LIVE_COSTS must be true or false');
    expect([await admin(BEFORE), await admin(AFTER), await chat()]).toEqual([401, 200, 200]);

    rmSync(file);
    const from = service.said.length;
    service.signal('SIGHUP');
    await expectEventually(() => service.said.slice(from).includes('SETTINGS_FILE must be a file'));
    expect([await admin(AFTER), await chat()]).toEqual([200, 200]);
  });

  it('puts no value of a setting into the log', () => {
    for (const value of [BEFORE, AFTER, NEW_KEY, oldKey, NEW_STORE_KEY])
      expect(service.said).not.toContain(value);
  });
});
