import type { X402Metrics } from '../x402.metrics';
import type { Chain } from './chain';
import { Relayer } from './relayer';

const KEY = `0x${'11'.repeat(32)}` as const;
const TO = `0x${'22'.repeat(20)}` as const;

describe('the relayer', () => {
  it('lets a node run the trial of a payment with no more gas than the transaction may have', async () => {
    const calls: unknown[] = [];
    const client = {
      chain: { id: 8453 },
      estimateFeesPerGas: () => Promise.resolve({ maxFeePerGas: 7n, maxPriorityFeePerGas: 3n }),
      request: (call: unknown) => {
        calls.push(call);
        return Promise.resolve('0x5208');
      },
    };
    const relayer = new Relayer(KEY, { client } as unknown as Chain, {} as X402Metrics, 1_000, 150_000n);

    const { gas } = await relayer.passage({ to: TO, data: '0x01', weiMax: undefined });

    expect(calls).toEqual([
      {
        method: 'eth_estimateGas',
        params: [
          {
            from: relayer.address,
            to: TO,
            data: '0x01',
            gas: '0x249f0',
            maxFeePerGas: '0x7',
            maxPriorityFeePerGas: '0x3',
          },
        ],
      },
    ]);
    expect(gas).toBe(25_200n);
  });
});
