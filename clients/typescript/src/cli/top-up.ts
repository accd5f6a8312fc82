import { agrees } from './ask.ts';
import { type Command, only } from './command.ts';
import { NotPaid, number } from './options.ts';
import { usd } from './output.ts';

/** The command pays up to this amount without asking. */
const UNASKED_USD = 1;

export const topUp: Command = {
  usage: ['USD [--yes] [--max USD]'],
  about: 'pays into the balance of the wallet, in USDC',
  more: 'It asks you before it pays more than $1; --yes answers. Accounts are topped up on their pages, by card.',
  options: ['yes', 'max', 'network', 'asset'],
  examples: ['5'],
  run: async (call) => {
    const { client, options } = call;
    const amount = number(only(call, 'amount of USD'), 'amount')!;
    const max = number(options.max, 'max') ?? Infinity;
    if (amount > max) throw new NotPaid(`Nothing was signed: $${amount} is more than --max.`);
    if (amount > UNASKED_USD && !(await agrees(options, `Pay $${amount} into the balance of the wallet?`)))
      throw new NotPaid('Nothing was signed.');
    const { micro, charge } = await client.topUp(amount, { maxPriceMicro: Math.round(amount * 1e6) });
    return { json: { micro, charge }, text: `${usd(micro)} in the wallet's balance` };
  },
};
