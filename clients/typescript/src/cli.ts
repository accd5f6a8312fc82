#!/usr/bin/env node
import { parseArgs } from 'node:util';

import { COMMANDS } from './cli/commands.ts';
import type { Command } from './cli/command.ts';
import { helpFor, helpOf } from './cli/help.ts';
import { Misused, NotPaid, OPTIONS, type OptionName, type Options } from './cli/options.ts';
import { baseUrlOf, clientFor, payerOf, withTestKey } from './cli/who-pays.ts';
import { BudgetExceeded, type JobFailed, Lamppost, LamppostError, NoAnswer } from './lamppost.ts';

/** What an exit code means. */
const EXIT = { refused: 1, usage: 2, money: 3, unheard: 4, interrupted: 130 } as const;

const codeFor = (error: unknown): number => {
  if (error instanceof Misused || error instanceof TypeError) return EXIT.usage;
  if (error instanceof BudgetExceeded || error instanceof NotPaid) return EXIT.money;
  if (error instanceof NoAnswer) return EXIT.unheard;
  if ((error as Error).name === 'AbortError') return EXIT.interrupted;
  const isAboutMoney =
    error instanceof LamppostError && (error.status === 402 || error.code === 'PRICE_ABOVE_MAX');
  return isAboutMoney ? EXIT.money : EXIT.refused;
};

const read = (): { options: Options; words: string[] } => {
  try {
    const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
    return { options: values, words: positionals };
  } catch (error) {
    throw new Misused((error as Error).message.replace(/\. To specify.*/s, '. See lamppost --help.'));
  }
};

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const commandOf = (name: string): Command => {
  const command = COMMANDS[name];
  if (command === undefined) throw new Misused(`There is no \`${name}\`; see lamppost --help.`);
  return command;
};

/** What a command does not know is a mistake, rather than something that is passed over. */
const refuseStray = (name: string, { options: known }: Command, options: Options): void => {
  const everywhere: readonly OptionName[] = ['url', 'key', 'json', 'help', 'pay'];
  const stray = (Object.keys(options) as OptionName[]).find(
    (option) => !known.includes(option) && !everywhere.includes(option),
  );
  if (stray !== undefined) throw new Misused(`\`${name}\` knows no --${stray}; see lamppost ${name} --help.`);
};

/** What a person can do about it, beyond what the message says. */
const hintsFor = (error: unknown, options: Options): readonly string[] => {
  if (error instanceof NoAnswer) {
    const { code, cause } = (error.cause ?? {}) as { code?: string; cause?: { code?: string } };
    const reason = code ?? cause?.code;
    return [`${baseUrlOf(options)}${typeof reason === 'string' ? `: ${reason}` : ''}`];
  }
  if (!(error instanceof LamppostError)) return [];
  const { manageKeys, docs } = (error.body ?? {}) as { manageKeys?: string; docs?: string };
  const isUnpaid = payerOf(options) === undefined && (error.status === 402 || error.status === 401);
  return [
    ...(error.fix === undefined ? [] : [`This would do: ${JSON.stringify(error.fix)}`]),
    ...(isUnpaid
      ? [
          `Set LAMPPOST_KEY to a key (people make one at ${manageKeys ?? `${baseUrlOf(options)}/account/keys`}), or`,
          'LAMPPOST_PRIVATE_KEY to that of a wallet with USDC.',
        ]
      : []),
    ...(docs === undefined ? [] : [`More: ${docs}`]),
  ];
};

const messageOf = (error: unknown): string => {
  if (error instanceof NoAnswer) return 'Nobody answers, or the connection broke off.';
  return codeFor(error) === EXIT.interrupted
    ? 'Stopped. What was said until then is paid.'
    : (error as Error).message;
};

const main = async (): Promise<void> => {
  const isJson = process.argv.includes('--json');
  let options: Options = {};
  try {
    const line = read();
    ({ options } = line);
    const [first, ...words] = line.words;
    const wantsHelp = options.help === true || first === 'help';
    const name = first === 'help' ? words[0] : first;
    if (name === undefined || wantsHelp) {
      say(name === undefined ? helpFor(COMMANDS) : helpOf(name, commandOf(name)));
      process.exitCode = wantsHelp ? 0 : EXIT.usage;
      return;
    }
    const command = commandOf(name);
    refuseStray(name, command, options);
    const baseUrl = baseUrlOf(options);
    if (command.costs === true) options = await withTestKey(options);
    const client = command.isAlone
      ? new Lamppost({ baseUrl })
      : await clientFor(options, command.costs === true);
    const said = await command.run({ client, baseUrl, words, options });
    say(isJson ? JSON.stringify(said.json) : said.text);
    process.exitCode = said.exitCode ?? 0;
  } catch (error) {
    const { code } = error as Error & { code?: string };
    const fix = error instanceof LamppostError ? error.fix : undefined;
    const { chargeState, jobId } = error as Partial<JobFailed>;
    const message = messageOf(error);
    if (isJson) say(JSON.stringify({ error: { message, code, chargeState, jobId }, fix }));
    else process.stderr.write(`${[message, ...hintsFor(error, options)].join('\n')}\n`);
    process.exitCode = codeFor(error);
  }
};

void main();
