import { type Chat, type ChatPiece, LamppostError } from '../lamppost.ts';
import { type Call, type Command, type Said, prompt } from './command.ts';
import { number } from './options.ts';
import { usd } from './output.ts';
import { clientFor, payerOf } from './who-pays.ts';

/** Ctrl-C stops the answer and what pays for it; pressed again it ends the command at once. */
const untilInterrupted = (): AbortSignal => {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  return stop.signal;
};

const whole = async (asked: Promise<Chat>): Promise<Said> => {
  const answer = await asked;
  return { json: answer, text: `${answer.text}\n${usd(answer.charge.micro)}` };
};

const asItComes = async (pieces: AsyncIterable<ChatPiece>): Promise<Said> => {
  let cost = 0;
  for await (const { text, charge } of pieces) {
    process.stdout.write(text);
    cost += charge?.micro ?? 0;
  }
  return { json: {}, text: `\n${usd(cost)}` };
};

const run = async (call: Call): Promise<Said> => {
  const { client, options } = call;
  const text = prompt(call);
  const tokens = number(options.tokens, 'tokens');
  const wishes = { model: options.model, maxTokens: tokens, tag: options.tag, signal: untilInterrupted() };
  const payer = payerOf(options);
  if (payer === undefined || options.json === true) return whole(client.chat(text, wishes));
  if (payer !== 'wallet' || options.pay === 'balance') return asItComes(client.stream(text, wishes));
  const prepaid = await clientFor({ ...options, pay: 'balance' }, true);
  if (options.pay === undefined && (await prepaid.balance(wishes)).micro > 0) {
    try {
      return await asItComes(prepaid.stream(text, wishes));
    } catch (error) {
      // Too little is left of it, which is said before the first word.
      if (!(error instanceof LamppostError && error.status === 402)) throw error;
    }
  }
  return whole(client.chat(text, wishes));
};

export const chat: Command = {
  usage: ['WHAT… [--model M] [--tokens N] [--max USD]'],
  about: 'an answer, as it is written',
  more:
    'It is charged by the tokens really used, and --max refuses it where it could cost more. Ctrl-C stops it, and pays what was said.\n' +
    'A wallet streams from the balance that it has topped up: it signs, and a key that can pay this one answer is made for it and\n' +
    'ended afterwards. Without a balance, or with --pay x402, it pays USDC for one answer, which then comes whole: what is billed\n' +
    'by its tokens has no price yet to sign for. With --json it comes whole as well.',
  options: ['model', 'tokens', 'max', 'tag', 'pay'],
  examples: ['Why are lampposts green?', '"Sum this up: $(cat notes.txt)" --model lumen-plus'],
  costs: true,
  run,
};
