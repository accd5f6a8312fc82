import { readSettings } from './settings';
import { startupMessage } from './startup-message';

const warningOf = (variables: Readonly<Record<string, string>>): string | undefined =>
  startupMessage(readSettings(variables), true)
    .split('\n')
    .find((line) => line.startsWith('Sandbox'));

describe('the first lines of a start', () => {
  it('say that nothing is real', () => {
    expect(warningOf({})).toBe('Sandbox, no real money and no real models; use test wallets only:');
  });

  it('do not say that the models of a real vendor are simulated', () => {
    expect(warningOf({ OPENAI_API_KEY: 'sk-test', ALLOW_SANDBOX_MIX: 'true' })).toBe(
      'Sandbox, no real money; use test wallets only:',
    );
  });
});
