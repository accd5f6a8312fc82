import { readSettings } from '../../settings';

const ASSET = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const ONE = {
  network: 'eip155:8453',
  asset: ASSET,
  payTo: `0x${'1'.repeat(40)}`,
  facilitator: 'https://facilitator.example/v1',
  rpcUrl: 'https://node.example/secret-key',
};
const OTHER = { ...ONE, network: 'eip155:137', finality: 64, nativeUsd: '0.25' };

const read = (networks: unknown, more: Readonly<Record<string, string>> = {}) =>
  readSettings({ X402_NETWORKS: JSON.stringify(networks), BILLING_PROCESSOR: 'sandbox', ...more });

describe('the networks of payments', () => {
  it('are the one of the older settings without a list', () => {
    const { x402 } = readSettings({});

    expect(x402.networks).toHaveLength(1);
    expect(x402.networks[0]).toMatchObject({
      network: 'eip155:8453',
      facilitator: 'sandbox',
      finality: 'finalized',
    });
  });

  it('are a list, of which the first is the default', () => {
    const { x402 } = read([ONE, OTHER], { X402_NATIVE_USD: '3000' });

    expect(x402).toMatchObject({
      network: 'eip155:8453',
      chainId: 8453,
      facilitator: 'http',
      nativeUsd: 3_000_000_000n,
    });
    expect(x402.networks[1]).toMatchObject({ chainId: 137, finality: 64n, nativeUsd: 250_000n });
  });

  it.each([
    ['no list', ONE, 'must be a JSON list of 1 to 6 networks'],
    ['an empty list', [], 'must be a JSON list of 1 to 6 networks'],
    ['seven networks', Array.from({ length: 7 }, () => ONE), 'must be a JSON list of 1 to 6 networks'],
    [
      'Solana',
      [{ ...ONE, network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }],
      'network 1: network must be an EVM network',
    ],
    ['no receiver', [ONE, { ...OTHER, payTo: undefined }], 'network 2: payTo is required'],
    ['an unknown field', [{ ...ONE, payee: ONE.payTo }], 'network 1: payee is no field'],
    ['an unknown facilitator', [{ ...ONE, facilitator: 'ftp://x' }], 'network 1: facilitator must be'],
    ['a strange finality', [{ ...ONE, finality: 'soon' }], 'network 1: finality must be'],
    ['a strange node', [{ ...ONE, rpcUrl: 'ws://node.example' }], 'network 1: rpcUrl must list http'],
    [
      'a local one without a node',
      [{ ...ONE, facilitator: 'local', rpcUrl: '' }],
      'network 1: rpcUrl is required',
    ],
    [
      'a local one without a key',
      [{ ...ONE, facilitator: 'local' }],
      'network 1: the facilitator local needs X402_RELAYER_KEY',
    ],
    [
      'the wallet of nobody',
      [{ ...ONE, payTo: `0x${'0'.repeat(40)}` }],
      'real money sent to this one is lost',
    ],
    ['a network twice', [ONE, ONE], 'has eip155:8453 twice'],
    [
      'a test network at real prices',
      [ONE, { ...OTHER, network: 'eip155:84532' }],
      'offers the free money of eip155:84532',
    ],
    [
      'a sandbox at real prices',
      [ONE, { ...OTHER, facilitator: 'sandbox' }],
      'offers the free money of eip155:137',
    ],
  ])('are refused with %s, and no value is repeated', (_, networks, words) => {
    expect(() => read(networks)).toThrow(words);
    expect(() => read(networks)).not.toThrow('secret-key');
  });

  it('are refused beside the settings that they replace', () => {
    expect(() => read([ONE], { X402_PAY_TO: ONE.payTo })).toThrow(
      'X402_PAY_TO has no effect beside X402_NETWORKS',
    );
  });

  it('may mix free and real money where the operator says so', () => {
    const mixed = read([ONE, { ...OTHER, network: 'eip155:84532' }], { ALLOW_SANDBOX_MIX: 'true' });

    expect(mixed.x402.networks).toHaveLength(2);
  });
});
