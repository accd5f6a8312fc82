import { micro } from '../../../kernel/money';
import { readSettings } from '../../../platform/config/settings';
import { maxTimeoutSeconds, requirementOf, v1RequirementsOf } from './requirements';

const settingsOf = (variables: Readonly<Record<string, string>>) => readSettings(variables).x402;
const RESOURCE = { url: 'https://api.example.com/x', description: 'One.', mimeType: 'application/json' };

describe('a requirement', () => {
  it('gives the run, the settlement and the signing their time, and never less than clients are used to', () => {
    expect([maxTimeoutSeconds(25), maxTimeoutSeconds(150), maxTimeoutSeconds(151)]).toEqual([300, 300, 301]);
  });

  it("names the token's own domain, which differs between networks", () => {
    const main = requirementOf(settingsOf({}), micro(1n), 300);
    const test = requirementOf(settingsOf({ X402_NETWORK: 'eip155:84532' }), micro(1n), 300);

    expect([main.extra, test.extra]).toEqual([
      { name: 'USD Coin', version: '2' },
      { name: 'USDC', version: '2' },
    ]);
  });

  it('has no first version where that has no name for the network', () => {
    const strange = requirementOf(settingsOf({ X402_NETWORK: 'eip155:424242' }), micro(1n), 300, 'quote');

    expect(v1RequirementsOf(strange, RESOURCE)).toEqual([]);
  });

  it('keeps the quote from clients that would not echo it', () => {
    const [first] = v1RequirementsOf(requirementOf(settingsOf({}), micro(7n), 300, 'quote'), RESOURCE);

    expect(first).toEqual({
      scheme: 'exact',
      network: 'base',
      maxAmountRequired: '7',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      payTo: '0x000000000000000000000000000000000000dEaD',
      maxTimeoutSeconds: 300,
      resource: 'https://api.example.com/x',
      description: 'One.',
      mimeType: 'application/json',
      extra: { name: 'USD Coin', version: '2' },
    });
  });
});
