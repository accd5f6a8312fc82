import { readSettings } from '../../settings';
import { SETTING_CHECKS } from './setting-checks';
import { soldSandbox } from './sold-sandbox';

const WALLET = `0x${'7'.repeat(40)}`;
const USDC = { X402_FACILITATOR: 'http', X402_FACILITATOR_URL: 'https://pay.example', X402_PAY_TO: WALLET };
const RELAYER = { X402_FACILITATOR: 'local', X402_PAY_TO: WALLET, X402_RELAYER_KEY: `0x${'1'.repeat(64)}` };
const CARDS = { BILLING_PROCESSOR: 'stripe', STRIPE_SECRET_KEY: 'sk_live_x', STRIPE_WEBHOOK_SECRET: 'x' };
const VENDOR = { OPENAI_API_KEY: 'sk-test', ALLOW_SANDBOX_MIX: 'true' };

const warningOf = (variables: Readonly<Record<string, string>>): string =>
  soldSandbox(readSettings(variables))
    .join()
    .replace(/ for results .*/, '');

describe('results of the sandbox for real money', () => {
  it.each([
    ['a facilitator', USDC, 'callers pay real money (USDC on eip155:8453)'],
    [
      'a node elsewhere',
      { ...RELAYER, X402_RPC_URL: 'https://node.example' },
      'callers pay real money (USDC on eip155:8453)',
    ],
    ['cards', CARDS, 'callers pay real money (cards)'],
    ['both', { ...USDC, ...CARDS }, 'callers pay real money (USDC on eip155:8453, cards)'],
  ])('are named at the start: with %s', (_, variables, expected) => {
    expect(warningOf(variables)).toBe(expected);
  });

  it.each([
    ['a sandbox', {}],
    ['a vendor', { ...USDC, ...VENDOR }],
    ['a test network', { ...USDC, X402_NETWORK: 'eip155:84532' }],
    ['a chain on this machine', { ...RELAYER, X402_RPC_URL: 'http://127.0.0.1:8545' }],
    ['a test key of Stripe', { ...CARDS, STRIPE_SECRET_KEY: 'sk_test_x' }],
  ])('are not sold with %s', (_, variables) => {
    expect(warningOf(variables)).toBe('');
  });

  it('are a warning of the doctor', async () => {
    const { outcome, text, mend } = await SETTING_CHECKS['money']!(readSettings(USDC));

    expect([outcome, text, mend]).toEqual([
      'look',
      expect.stringContaining('for results of the sandbox'),
      expect.stringContaining('ANTHROPIC_API_KEY'),
    ]);
  });
});
