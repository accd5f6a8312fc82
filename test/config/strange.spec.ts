import { strangeSettings } from '../../src/settings';

describe('settings that this version does not know', () => {
  it('are named, with what was meant', () => {
    expect(strangeSettings({ RATE_LIMIT_CHATT: '5', X402_PAY_TO: '0x', PATH: '/bin' })).toEqual([
      'RATE_LIMIT_CHATT is no setting of this version; did you mean RATE_LIMIT_CHAT?',
    ]);
    expect(strangeSettings({}, ['LOG_LEVL', 'PORT', 'Q'])).toEqual([
      'LOG_LEVL is no setting of this version; did you mean LOG_LEVEL?',
      'Q is no setting of this version',
    ]);
  });

  it('are not what others set for themselves, nor those of servers that were named', () => {
    expect(
      strangeSettings(
        {
          OPENAI_COMPATIBLE_SERVERS: 'groq',
          JOB_RUNNER_SERVICE_HOST: '10.0.0.1',
          POLICY_PORT_80_TCP: 'tcp://…',
        },
        ['GROQ_BASE_URL'],
      ),
    ).toEqual([]);
  });
});
