// The stock middleware. It computes the price from the body, and uses a facilitator over HTTP or in its own process.
import { HTTPFacilitatorClient } from '@x402/core/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import express from 'express';

const ASSET = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const inProcess = {
  getSupported: async () => ({
    kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }],
    extensions: [],
    signers: {},
  }),
  verify: async () => ({ isValid: true, payer: ASSET }),
  settle: async () => ({ success: true, transaction: '0x', network: 'eip155:8453' }),
};
const { FACILITATOR_URL } = process.env;
const facilitator =
  FACILITATOR_URL === undefined ? inProcess : new HTTPFacilitatorClient({ url: FACILITATOR_URL });
const price = (context) => {
  const chars = (context.adapter.getBody?.()?.messages ?? []).reduce(
    (sum, { content }) => sum + content.length,
    0,
  );
  const micro = Math.max(2000, Math.ceil(((Math.ceil((chars * 2) / 7) * 0.22 + 1024 * 0.43) * 10) / 3));
  return { asset: ASSET, amount: String(micro), extra: { name: 'USD Coin', version: '2' } };
};
const app = express();
app.use(express.json());
app.get('/', (_request, response) => response.json({ ok: true }));
app.use(
  paymentMiddleware(
    {
      'POST /v1/agent/chat': {
        accepts: {
          scheme: 'exact',
          network: 'eip155:8453',
          payTo: '0x000000000000000000000000000000000000dEaD',
          price,
        },
        description: 'One chat completion',
        mimeType: 'application/json',
      },
    },
    new x402ResourceServer(facilitator).register('eip155:8453', new ExactEvmScheme()),
  ),
);
app.post('/v1/agent/chat', (_request, response) => response.json({}));
app.listen(Number(process.env.PORT), '127.0.0.1');
