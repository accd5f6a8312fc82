// Looks up a model, locks its price, pays on each rail, waits for a job and verifies the receipts.
//   LAMPPOST_URL=http://127.0.0.1:3000 PRIVATE_KEY=0x… LAMPPOST_KEY=lp_… node -r @swc-node/register examples/walkthrough.ts
import { privateKeyToAccount } from 'viem/accounts';

import { Lamppost, LamppostError, byBalance, byKey, byX402 } from './lamppost';

const {
  LAMPPOST_URL: url = 'http://127.0.0.1:3000',
  LAMPPOST_KEY: key = '',
  PRIVATE_KEY: secret,
} = process.env;
const account = privateKeyToAccount(secret as `0x${string}`);

const rails = {
  x402: new Lamppost(url, byX402(account, 20)),
  wallet: new Lamppost(url, byBalance(account, new URL(url).host)),
  'api-key': new Lamppost(url, byKey(key)),
};

const walk = async (): Promise<void> => {
  const { models } = await rails.x402.models();
  const model = models.find(({ mode }) => mode === 't2v');
  if (model === undefined) throw new Error('This service makes no videos.');
  const call = { prompt: 'Waves at night', modelId: model.id, duration: model.durations[0] ?? 4 };
  const { priceMicro } = await rails.x402.quote(call);
  console.log(`${model.name}: ${call.duration} seconds for $${(priceMicro / 1e6).toFixed(6)}`);

  const { balanceMicro } = await rails.x402.topUp(5);
  console.log(`The wallet holds $${(balanceMicro / 1e6).toFixed(6)}.`);

  for (const [rail, lamppost] of Object.entries(rails)) {
    const { quoteId } = await lamppost.quote(call);
    const video = await lamppost.generate({ ...call, quoteId, maxPriceMicro: priceMicro });
    const job = video.status === 'running' ? await lamppost.ended(video.jobId) : video;
    const receipt = await lamppost.receipt(video.chargeId);
    const genuine = await lamppost.isGenuine(receipt);
    console.log(`${rail}: ${job.status} ${receipt.state} ${receipt.priceMicro} genuine=${genuine}`);
  }

  // A refusal says what would have been right.
  try {
    await rails['api-key'].generate({ ...call, duration: 5 });
  } catch (error) {
    if (!(error instanceof LamppostError)) throw error;
    console.log(error.code, error.message, JSON.stringify(error.fix));
  }
};

walk().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
