import { unknownSettings } from '../../src/unknown-settings';

describe('settings that this version does not know', () => {
  it('are named, with what was meant', () => {
    expect(unknownSettings({ RATE_LIMIT_CHATT: '5', X402_PAY_TO: '0x', PATH: '/bin' })).toEqual([
      'RATE_LIMIT_CHATT is no setting of this version; did you mean RATE_LIMIT_CHAT?',
    ]);
    expect(unknownSettings({}, ['LOG_LEVL', 'PORT', 'Q'])).toEqual([
      'LOG_LEVL is no setting of this version; did you mean LOG_LEVEL?',
      'Q is no setting of this version',
    ]);
  });

  it('are named although their first word is misspelt, where nothing else can be meant', () => {
    expect(
      unknownSettings({ RATE_LIMTI_MEDIA: '5', X420_PAY_TO: '0x', DATABSE_URL: 'x', METRIC_TOKEN: 'x' }),
    ).toEqual(
      [
        ['RATE_LIMTI_MEDIA', 'RATE_LIMIT_MEDIA'],
        ['X420_PAY_TO', 'X402_PAY_TO'],
        ['DATABSE_URL', 'DATABASE_URL'],
        ['METRIC_TOKEN', 'METRICS_TOKEN'],
      ].map(([name, meant]) => `${name} is no setting of this version; did you mean ${meant}?`),
    );
  });

  it('are not what others set for themselves, nor those of servers that were named', () => {
    expect(
      unknownSettings(
        {
          OPENAI_COMPATIBLE_SERVERS: 'groq',
          JOB_RUNNER_SERVICE_HOST: '10.0.0.1',
          POLICY_PORT_80_TCP: 'tcp://…',
          // Names that resemble our settings, and known names of other programs.
          AWS_ACCESS_KEY_ID: 'x',
          AWS_SECRET_ACCESS_KEY: 'x',
          AWS_REGION: 'x',
          STRIPE_API_KEY: 'x',
          OPENAI_API_URL: 'x',
          SMTP_USER: 'x',
          SMTP_HOST: 'x',
          RUST_LOG: 'x',
          HOME: '/root',
          TERM: 'xterm',
          HOSTNAME: 'x',
          REDIS_URL: 'redis://x',
          REDIS_URI: 'redis://x',
        },
        ['GROQ_BASE_URL'],
      ),
    ).toEqual([]);
  });
});
