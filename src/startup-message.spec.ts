import { readSettings } from './settings';
import { addressLine, startupMessage } from './startup-message';

const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

const warningOf = (variables: Readonly<Record<string, string>>): string | undefined =>
  startupMessage(readSettings(variables), true)
    .split('\n')
    .find((line) => line.includes('no real money'));

describe('the first lines of a start', () => {
  it('say that nothing is real', () => {
    expect(warningOf({})).toBe('Sandbox, no real money and no real models; use test wallets only:');
  });

  it('do not say that the models of a real vendor are simulated', () => {
    expect(warningOf({ OPENAI_API_KEY: 'sk-test', ALLOW_SANDBOX_MIX: 'true' })).toBe(
      'Real models, test payments, no real money; use test wallets only:',
    );
  });

  it('do not say that no real money is paid if USDC or cards are real', () => {
    const usdc = {
      X402_FACILITATOR: 'http',
      X402_FACILITATOR_URL: 'https://pay.example',
      X402_PAY_TO: PAY_TO,
    };
    const cards = {
      BILLING_PROCESSOR: 'stripe',
      STRIPE_SECRET_KEY: 'sk_live_x',
      STRIPE_WEBHOOK_SECRET: 'whsec_x',
    };
    const firstLineOf = (variables: Readonly<Record<string, string>>) =>
      /^(?:Sandbox|Real).*:$/m.exec(
        startupMessage(readSettings({ ...variables, ALLOW_SANDBOX_MIX: 'true' }), true),
      )?.[0];

    expect([
      firstLineOf({ ...usdc, OPENAI_API_KEY: 'sk-test' }),
      firstLineOf(usdc),
      firstLineOf(cards),
      firstLineOf({ ...cards, OPENAI_API_KEY: 'sk-test' }),
    ]).toEqual([
      'Real models, some payments are tests:',
      'Sandbox, no real models:',
      'Sandbox, no real models; use test wallets only:',
      'Real models, some payments are tests; use test wallets only:',
    ]);
  });

  it('are one line of the log in production', () => {
    const settings = readSettings({ NODE_ENV: 'production', PORT: '3100', PUBLIC_URL: 'https://ai.example' });

    expect([startupMessage(settings, false), addressLine(settings)]).toEqual([
      '',
      'The service listens on 127.0.0.1:3100. Its public address is https://ai.example.',
    ]);
  });

  it('name a first call that works: only the sandbox certainly sells ember-image', () => {
    const linesOf = (variables: Readonly<Record<string, string>>) =>
      startupMessage(readSettings(variables), true);
    expect(linesOf({})).toContain('{"modelId":"ember-image"}');
    const real = linesOf({ ANTHROPIC_API_KEY: 'sk-test', ALLOW_SANDBOX_MIX: 'true' });
    expect(real).toMatch(/A first call:\n {2}curl -s \S+\/v1\/agent\/models\n/);
    expect(real).not.toContain('ember-image');
  });
});
