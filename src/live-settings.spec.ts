import { createLog } from './platform/telemetry/log';
import { LiveSettings } from './live-settings';
import { rotatingNames } from './settings';

const VALUES = {
  ADMIN_TOKENS: (word: string) => `ann:all:${word}-0123456789abcdef`,
  X402_FACILITATOR_HEADERS: (word: string) => `{"authorization":"${word}-headers-0123456789"}`,
  X402_RELAYER_KEY: (word: string) => `0x${(word === 'old' ? '1' : '2').repeat(64)}`,
  VERTEX_SERVICE_ACCOUNT: (word: string) =>
    JSON.stringify({ client_email: 'bot@example.com', private_key: `PRIVATE KEY ${word}-vertex-0123456789` }),
  ADULTS_ALLOWED: (word: string) => `acc_${word}-adults-0123456789`,
  SMTP_URL: (word: string) => `smtps://lamp:${word}-smtp-0123456789@mail.example.com`,
};
/** The part of the value that the test searches for. */
const partOf = (name: string, word: string): string =>
  new RegExp(`${word}-[\\w-]+|0x.*`).exec(valueOf(name, word))![0];
const valueOf = (name: string, word: string): string =>
  (VALUES as Readonly<Record<string, (word: string) => string>>)[name]?.(word) ??
  `${word}-${name}-0123456789`;

const all = (word: string): Readonly<Record<string, string>> => {
  const servers = { OPENAI_COMPATIBLE_SERVERS: 'groq', GROQ_BASE_URL: 'http://127.0.0.1:9/v1' };
  const names = rotatingNames(servers);
  const secrets = Object.fromEntries(names.map((name) => [name, valueOf(name, word)]));
  return { ...servers, ALLOW_SANDBOX_MIX: 'true', SMTP_FROM: 'alerts@example.com', ...secrets };
};

describe('the settings of a process that runs', () => {
  it('show each secret that may change as it is now, also to readers from the start', () => {
    const live = new LiveSettings(all('old'));
    const settings = live.view();
    const accesses = settings.providers.map(({ access }) => access);
    const { stripe } = settings.billing;
    const { s3 } = settings.blobs;
    const { x402 } = settings;
    const seen = (): string =>
      JSON.stringify([
        settings.admins,
        settings.metricsToken,
        settings.mail,
        settings.adultsAllowed,
        x402.facilitatorHeaders,
        x402.relayerKey,
        settings.embedder,
        s3,
        stripe,
        accesses,
      ]);

    const { taken, waiting } = live.takeOver(all('new'));

    expect([taken, waiting]).toEqual([expect.arrayContaining([...rotatingNames(all('old'))]), []]);
    const shown = (word: string) =>
      rotatingNames(all('old')).filter((name) => seen().includes(partOf(name, word)));
    expect(shown('new')).toEqual(rotatingNames(all('old')));
    expect(shown('old')).toEqual([]);
  });

  it('take nothing over where something is wrong', () => {
    const live = new LiveSettings(all('old'));
    const settings = live.view();

    expect(() => live.takeOver({ ...all('new'), PORT: 'x' })).toThrow('PORT must be');
    expect(settings.metricsToken).toBe(valueOf('METRICS_TOKEN', 'old'));
  });

  it('leave what is sold as it is: a key that comes or goes waits for a restart', () => {
    const live = new LiveSettings({ FAL_KEY: 'fal-0123456789', ALLOW_SANDBOX_MIX: 'true' });
    const change = live.takeOver({
      REPLICATE_API_TOKEN: 'r8-0123456789',
      ALLOW_SANDBOX_MIX: 'true',
      PORT: '3001',
    });

    expect(change).toEqual({ taken: [], waiting: ['PORT', 'FAL_KEY', 'REPLICATE_API_TOKEN'] });
    expect(live.view().providers.find(({ name }) => name === 'fal')?.access).toMatchObject({
      key: 'fal-0123456789',
    });
  });

  it('send mails, and use a store, as they did at the start: an address or a key that comes or goes waits, too', () => {
    const mail = { SMTP_URL: 'smtps://mail.example.com', SMTP_FROM: 'alerts@example.com' };
    const keys = { S3_ACCESS_KEY_ID: 'AKIA0123', S3_SECRET_ACCESS_KEY: 'old-0123456789' };
    const live = new LiveSettings(keys);

    expect(live.takeOver({ ...keys, ...mail }).waiting).toEqual(['SMTP_URL', 'SMTP_FROM']);
    expect(live.takeOver({}).waiting).toEqual(['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']);
    expect([live.view().mail, live.view().blobs.s3.accessKeyId]).toEqual([undefined, 'AKIA0123']);
  });

  it('hide the new secrets in the log, and those of before', () => {
    const live = new LiveSettings({ METRICS_TOKEN: 'before-0123456789' });
    const lines: string[] = [];
    const log = createLog(
      live.view(),
      { headers: [], secrets: [] },
      { write: (line) => void lines.push(line) },
    );
    live.takeOver({ METRICS_TOKEN: 'after-0123456789' });

    log.info('It was before-0123456789 and is after-0123456789.');

    expect(lines.join('')).toContain('It was [redacted] and is [redacted].');
  });
});
