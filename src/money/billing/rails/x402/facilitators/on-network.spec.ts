import { readSettings } from '../../../../../settings';
import { onNetwork } from './on-network';

const ASSET = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const ONE = {
  network: 'eip155:8453',
  asset: ASSET,
  payTo: `0x${'1'.repeat(40)}`,
  facilitator: 'https://facilitator.example/v1',
};
const OTHER = { ...ONE, network: 'eip155:137', facilitator: 'https://other.example/v2' };

const read = (headers: object) =>
  readSettings({
    X402_NETWORKS: JSON.stringify([ONE, OTHER]),
    X402_FACILITATOR_HEADERS: JSON.stringify(headers),
  });

describe('the settings of one network', () => {
  it('send the headers of a facilitator to no other one', () => {
    const { x402 } = read({ authorization: 'Bearer a-long-token' });

    expect(x402.networks.map((one) => onNetwork(x402, one).facilitatorHeaders)).toEqual([
      { authorization: 'Bearer a-long-token' },
      {},
    ]);
  });

  it('send each facilitator its own headers, when they are named by origin', () => {
    const { x402, secrets } = read({
      [new URL(ONE.facilitator).origin]: { authorization: 'Bearer first-token' },
      'https://other.example': { 'x-key': 'second-key' },
    });

    expect(x402.networks.map((one) => onNetwork(x402, one).facilitatorHeaders)).toEqual([
      { authorization: 'Bearer first-token' },
      { 'x-key': 'second-key' },
    ]);
    expect(secrets).toEqual(expect.arrayContaining(['first-token', 'second-key']));
  });
});
