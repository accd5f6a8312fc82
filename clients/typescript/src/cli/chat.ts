import { type Chat, type ChatPiece, LamppostError } from '../lamppost.ts';
import type { Call, Command, Said } from './command.ts';
import { number } from './options.ts';
import { note, say, usd } from './output.ts';
import { checkWords, wordsOrStdin } from './stdin.ts';
import { stopped } from './stop.ts';
import { clientFor, payerOf } from './who-pays.ts';

const whole = async (asked: Promise<Chat>): Promise<Said> => {
  const answer = await asked;
  note(`${usd(answer.charge.micro)}\n`);
  return { json: answer, text: answer.text };
};

/**
 * Prints the pieces for people while they arrive, and returns one object for programs. Both use the same call at the
 * same price.
 */
const asItComes = async (pieces: AsyncIterable<ChatPiece>, isJson: boolean): Promise<Said> => {
  let text = '';
  let end: ChatPiece | undefined;
  for await (const piece of pieces) {
    if (!isJson) say(piece.text);
    text += piece.text;
    end = piece.charge === undefined ? end : piece;
  }
  if (isJson) return { json: { text, usage: end?.usage, charge: end?.charge }, text };
  say('\n');
  note(`${usd(end?.charge?.micro ?? 0)}\n`);
  return { json: {}, text: '', isWritten: true };
};

const run = async (call: Call): Promise<Said> => {
  const { client, options } = call;
  const text = await wordsOrStdin(call.words);
  const tokens = number(options.tokens, 'tokens');
  const sent = { model: options.model, maxTokens: tokens, tag: options.tag, signal: stopped };
  const payer = payerOf(options);
  const isJson = options.json === true;
  if (payer === undefined) return whole(client.chat(text, sent));
  if (payer !== 'wallet' || (options.pay !== undefined && options.pay !== 'x402'))
    return asItComes(client.stream(text, sent), isJson);
  const prepaid = await clientFor({ ...options, pay: 'balance' }, true);
  if (options.pay === undefined && (await prepaid.balance({ signal: stopped })).micro > 0) {
    try {
      return await asItComes(prepaid.stream(text, sent), isJson);
    } catch (error) {
      // The balance is too small. The service reports this before the first word, so the command can use another way to
      // pay.
      if (!(error instanceof LamppostError && error.status === 402)) throw error;
    }
  }
  return whole(client.chat(text, sent));
};

export const chat: Command = {
  usage: ['WHAT… [--model M] [--tokens N] [--max USD]'],
  about: 'an answer, as it is written',
  more:
    'It is charged by the tokens really used, and --max refuses it where it could cost more. Ctrl-C stops it, and pays what was said.\n' +
    'A wallet streams from the balance that it has topped up: it signs, and a key that can pay this one answer is made for it and\n' +
    'ended afterwards. Without a balance, or with --pay x402, it pays USDC for one answer, which then comes whole: what is billed\n' +
    'by its tokens has no price yet to sign for. `-` reads the standard input, which also serves where there are no words.',
  options: ['model', 'tokens', 'max', 'tag', 'pay', 'network', 'asset'],
  examples: ['Why are lampposts green?', 'Sum this up: - < notes.txt', 'Hello. --model lumen-plus'],
  costs: true,
  check: ({ words, options }) => {
    number(options.tokens, 'tokens');
    checkWords(words);
    return Promise.resolve();
  },
  run,
};
