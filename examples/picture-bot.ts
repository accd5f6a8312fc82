// A bot that draws a picture for each line of its input, until its budget is spent. It pays nothing beyond the budget, and
// a failed call costs nothing, so nobody has to watch it. Run it so:
//
//   printf 'A red fox\nA lamp in the fog\n' | LAMPPOST_URL=… LAMPPOST_KEY=lp_… node -r ./tools/typescript.cjs examples/picture-bot.ts 0.50 pictures
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

// In a project of your own: from 'lamppost'.
import { BudgetExceeded, Lamppost, LamppostError } from '../clients/typescript/src/lamppost';

const [, , usd = '0.50', folder = 'pictures'] = process.argv;
const { LAMPPOST_URL: baseUrl = 'http://127.0.0.1:3000', LAMPPOST_KEY: key = '' } = process.env;
const lamppost = new Lamppost({ baseUrl, key, budget: { total: Number(usd) } });

const draw = async (): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  let micro = 0;
  let drawn = 0;
  for await (const prompt of createInterface({ input: process.stdin })) {
    try {
      const picture = await lamppost.image(prompt, { tag: 'picture-bot' });
      drawn += 1;
      micro += picture.charge.micro;
      await picture.save(join(folder, `${drawn}.png`));
      console.log(`${drawn}.png  ${prompt}`);
    } catch (error) {
      if (error instanceof BudgetExceeded) break;
      if (!(error instanceof LamppostError)) throw error;
      console.log(`not drawn  ${prompt}: ${error.message}`);
    }
  }
  console.log(`${drawn} pictures for $${(micro / 1e6).toFixed(6)} of $${usd}.`);
};

draw().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
