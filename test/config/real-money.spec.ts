import { BadSettings } from '#platform/config/variables';
import { readSettings } from '../../src/settings';

const LOCAL = { X402_FACILITATOR: 'local', X402_RELAYER_KEY: `0x${'1'.repeat(64)}` };
const REAL = { ...LOCAL, X402_RPC_URL: 'https://mainnet.base.example/v2/key' };
const OURS = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

const problemsOf = (variables: Readonly<Record<string, string>>): readonly string[] => {
  try {
    readSettings(variables);
    return [];
  } catch (error) {
    return (error as BadSettings).problems;
  }
};

describe('settings that take real money', () => {
  it.each([
    ['a chain elsewhere', REAL],
    [
      'two nodes of which one is elsewhere',
      { ...REAL, X402_RPC_URL: `http://127.0.0.1:8545,${REAL.X402_RPC_URL}` },
    ],
    ['a facilitator elsewhere', { X402_FACILITATOR: 'http', X402_FACILITATOR_URL: 'https://pay.example' }],
  ])('name the wallet that it is for: %s', (_, variables) => {
    expect(problemsOf(variables).join()).toMatch(/^X402_PAY_TO is required/);
    expect(problemsOf({ ...variables, X402_PAY_TO: OURS })).toEqual([]);
  });

  it.each(['0x000000000000000000000000000000000000dEaD', `0x${'0'.repeat(40)}`])(
    'do not name a wallet that nobody has: %s',
    (wallet) => {
      expect(problemsOf({ ...REAL, X402_PAY_TO: wallet }).join()).toMatch(
        /^X402_PAY_TO must be a wallet of yours/,
      );
    },
  );

  it('may name one where the facilitator is on this machine, as in a trial', () => {
    const trial = { X402_FACILITATOR: 'http', X402_FACILITATOR_URL: 'http://127.0.0.1:4030' };
    expect(problemsOf({ ...trial, X402_PAY_TO: '0x000000000000000000000000000000000000dEaD' })).toEqual([]);
  });

  it('need no wallet on a chain of this machine', () => {
    expect(problemsOf({ ...LOCAL, X402_RPC_URL: 'http://127.0.0.1:8545' })).toEqual([]);
  });

  it.each(['0', '0.00', '-1', '1e3', '12,5'])('take no coin that costs %s', (price) => {
    expect(problemsOf({ X402_NATIVE_USD: price }).join()).toMatch(/X402_NATIVE_USD/);
  });
});
