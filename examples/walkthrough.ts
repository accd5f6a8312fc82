// Looks up a model, locks its price, pays on each rail, waits for a job and verifies the receipts.
//   LAMPPOST_URL=http://127.0.0.1:3000 PRIVATE_KEY=0x… LAMPPOST_KEY=lp_… node -r ./tools/typescript.cjs examples/walkthrough.ts
import { privateKeyToAccount } from 'viem/accounts';

// In a project of your own: from 'lamppost'.
import { Lamppost, LamppostError } from '../clients/typescript/src/lamppost';

const {
  LAMPPOST_URL: baseUrl = 'http://127.0.0.1:3000',
  LAMPPOST_KEY: key = '',
  PRIVATE_KEY: secret,
} = process.env;
const wallet = privateKeyToAccount(secret as `0x${string}`);
const budget = { perCall: 20 };

const rails = {
  x402: new Lamppost({ baseUrl, wallet, budget }),
  wallet: new Lamppost({ baseUrl, wallet, budget, pay: 'balance' }),
  'api-key': new Lamppost({ baseUrl, key, budget }),
};

const walk = async (): Promise<void> => {
  const { models } = await rails.x402.models();
  const model = models.find(({ mode }) => mode === 't2v');
  if (model === undefined) throw new Error('This service makes no videos.');
  const film = { modelId: model.id, duration: model.durations[0] ?? 4 };
  const { priceMicro } = await rails.x402.quote(film);
  console.log(`${model.name}: ${film.duration} seconds for $${(priceMicro / 1e6).toFixed(6)}`);

  const { micro } = await rails.x402.topUp(5);
  console.log(`The wallet holds $${(micro / 1e6).toFixed(6)}.`);

  for (const [rail, lamppost] of Object.entries(rails)) {
    const { quoteId } = await lamppost.quote(film);
    const { charge } = await lamppost.video('Waves at night', { ...film, quoteId });
    const receipt = await lamppost.receipts.get(charge.id);
    const genuine = await lamppost.receipts.verify(receipt);
    console.log(`${rail}: ${receipt.state} ${receipt.priceMicro} genuine=${genuine}`);
  }

  // A refusal says what would have been right.
  try {
    await rails['api-key'].video('Waves at night', { ...film, duration: 5 });
  } catch (error) {
    if (!(error instanceof LamppostError)) throw error;
    console.log(error.code, error.message, JSON.stringify(error.fix));
  }
};

walk().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
