import type { ChannelState } from '../channel.ts';
import { agrees } from './ask.ts';
import type { Call, Command, Said } from './command.ts';
import { Misused, NotPaid, number } from './options.ts';
import { usd } from './output.ts';
import { clientFor } from './who-pays.ts';

const saidOf = (state: ChannelState | undefined): Said => ({
  json: state ?? {},
  text:
    state === undefined
      ? 'no channel of this wallet has paid here'
      : `${state.channelId}  ${usd(state.balanceMicro - state.chargedMicro)} unspent  ${usd(state.chargedMicro)} charged`,
});

const run = async ({ options, words: [what, amount] }: Call): Promise<Said> => {
  const deposit = what === 'open' ? (number(amount, 'deposit') ?? 0) : 0;
  const client = await clientFor({ ...options, key: '', pay: 'channel' }, true, deposit);
  const channel = await client.channel?.load();
  if (channel === undefined) throw new NotPaid('Put the key of a wallet into LAMPPOST_PRIVATE_KEY.');
  if (what === 'balance') return saidOf(await channel.state());
  if (what === 'open' && deposit > 0) {
    if (!(await agrees(options, `Deposit $${deposit}, and pay one short chat from it?`)))
      throw new NotPaid('Nothing was signed.');
    await client.chat('Hello.', { maxTokens: 1 });
    return saidOf(await channel.state());
  }
  if (what !== 'close') throw new Misused('It is open USD, balance or close.');
  const { amount: back, transaction } = await channel.close();
  return { json: { amount: back, transaction }, text: `${usd(Number(back))} returned by ${transaction}` };
};

export const channel: Command = {
  usage: ['open USD [--yes]', 'balance', 'close'],
  about: 'a payment channel of the wallet',
  more:
    '`open` fills it up to the amount, and pays one short chat, because a deposit travels with a call. Other commands with\n' +
    '--pay channel never deposit. It needs npm install @x402/evm viem.',
  options: ['yes', 'pay', 'network', 'asset'],
  words: ['open', 'balance', 'close'],
  examples: ['open 5', 'balance', 'close'],
  isAlone: true,
  run,
};
