#!/usr/bin/env node
import { parseArgs } from 'node:util';

import { COMMANDS } from './cli/commands.ts';
import type { Command, Said } from './cli/command.ts';
import { helpFor, helpOf } from './cli/help.ts';
import { Misused, NotPaid, OPTIONS, type OptionName, type Options, number } from './cli/options.ts';
import { NotKept, note, say } from './cli/output.ts';
import { STOP_MS, exitCodeOfStop, listenForStop, stopReason } from './cli/stop.ts';
import { baseUrlOf, clientFor, payerOf, withStoredKey, withTestKey } from './cli/who-pays.ts';
import {
  BudgetExceeded,
  CallAborted,
  type JobFailed,
  Lamppost,
  LamppostError,
  NoAnswer,
  VERSION,
} from './lamppost.ts';
import { nearestOf } from './unknown-options.ts';

/** The meanings of exit codes. */
const EXIT = { refused: 1, usage: 2, money: 3, unheard: 4 } as const;

const codeFor = (error: unknown): number => {
  if (error instanceof Misused || error instanceof TypeError || error instanceof RangeError)
    return EXIT.usage;
  if (error instanceof BudgetExceeded || error instanceof NotPaid) return EXIT.money;
  if (error instanceof NoAnswer) return EXIT.unheard;
  if (error instanceof CallAborted || (error as Error).name === 'AbortError') return exitCodeOfStop();
  const isAboutMoney =
    error instanceof LamppostError && (error.status === 402 || error.code === 'PRICE_ABOVE_MAX');
  return isAboutMoney ? EXIT.money : EXIT.refused;
};

const EVERYWHERE: readonly OptionName[] = ['url', 'key', 'json', 'help', 'version', 'pay', 'network'];

/** The nearest option, or else the options of the command, because the right one may have another name. */
const hintOf = (typed: string | undefined): string => {
  const name = process.argv.slice(2).find((word) => Object.hasOwn(COMMANDS, word));
  const own = name === undefined ? [] : COMMANDS[name]!.options;
  const known = name === undefined ? Object.keys(OPTIONS) : [...own, ...EVERYWHERE];
  const meant = typed === undefined ? undefined : nearestOf(typed, known);
  if (meant !== undefined) return `Did you mean --${meant}?`;
  const takes = own.length === 0 ? '' : `\`${name}\` takes ${own.map((one) => `--${one}`).join(', ')}. `;
  return `${takes}See lamppost ${name === undefined ? '' : `${name} `}--help.`;
};

const read = (): { options: Options; words: string[] } => {
  try {
    const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
    return { options: values, words: positionals };
  } catch (error) {
    const message = (error as Error).message.replace(/\. To specify.*/s, '.');
    const [, typed] = /Unknown option '--([\w-]+)'/.exec(message) ?? [];
    throw new Misused(`${message} ${hintOf(typed)}`);
  }
};

const commandOf = (name: string): Command => {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command;
  const meant = nearestOf(name, Object.keys(COMMANDS));
  const hint = meant === undefined ? 'See lamppost --help.' : `Did you mean \`lamppost ${meant}\`?`;
  throw new Misused(`There is no \`${name}\`. ${hint}`);
};

/** Refuses unknown options, because an ignored option could be a misspelt limit. */
const refuseStray = (name: string, { options: known }: Command, options: Options): void => {
  const stray = (Object.keys(options) as OptionName[]).find(
    (option) => !known.includes(option) && !EVERYWHERE.includes(option),
  );
  if (stray !== undefined) throw new Misused(`\`${name}\` knows no --${stray}. ${hintOf(stray)}`);
};

/** The system's code of a network failure, such as ECONNREFUSED. */
const networkCodeOf = ({ cause }: NoAnswer): string | undefined => {
  const { code, cause: inner } = (cause ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  return [code, inner?.code].find((one) => typeof one === 'string');
};

/** The remedy for the user, in addition to the message. */
const hintsFor = (error: unknown, options: Options): readonly string[] => {
  if (error instanceof CallAborted && error.chargeState === undefined && error.jobId !== undefined)
    return [`It is being cancelled. \`lamppost jobs wait ${error.jobId}\` says what became of it.`];
  if (error instanceof CallAborted && error.chargeState === undefined)
    return ['`lamppost jobs` shows the job, if there is one.'];
  if (error instanceof NoAnswer) {
    const reason = networkCodeOf(error);
    return reason === undefined ? [] : [`${baseUrlOf(options)}: ${reason}`];
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
  // The job of the call is more important than the reason.
  if (error instanceof NoAnswer && networkCodeOf(error) !== undefined && error.jobId === undefined)
    return 'The service does not answer, or the connection broke off.';
  return (error as Error).name === 'AbortError' && !(error instanceof CallAborted)
    ? 'Stopped.'
    : (error as Error).message;
};

const finish = (
  { json, text, exitCode = 0, isWritten = false, isPainted = false }: Said,
  isJson: boolean,
) => {
  if (isWritten) process.exitCode = exitCode;
  else if (isJson) say(`${JSON.stringify(json)}\n`);
  else if (isPainted) process.stdout.write(`${text}\n`);
  else say(`${text}\n`);
  process.exitCode = exitCode;
};

const main = async (): Promise<void> => {
  const isJson = process.argv.includes('--json');
  let options: Options = {};
  try {
    const line = read();
    ({ options } = line);
    const [first, ...words] = line.words;
    if (options.version === true) {
      say(`${VERSION}\n`);
      return;
    }
    const wantsHelp = options.help === true || first === 'help';
    const name = first === 'help' ? words[0] : first;
    if (name === undefined || wantsHelp) {
      say(`${name === undefined ? helpFor(COMMANDS) : helpOf(name, commandOf(name))}\n`);
      process.exitCode = wantsHelp ? 0 : EXIT.usage;
      return;
    }
    const command = commandOf(name);
    refuseStray(name, command, options);
    const baseUrl = baseUrlOf(options);
    number(options.max, 'max');
    await command.check?.({ words, options });
    options = withStoredKey(options);
    if (command.costs === true) options = await withTestKey(options);
    const client = command.isAlone
      ? new Lamppost({ baseUrl })
      : await clientFor(options, command.costs === true);
    finish(await command.run({ client, baseUrl, words, options }), isJson);
  } catch (error) {
    // The reader has closed the output, so the command can't print anything.
    if (stopReason.is === 'unread') return;
    // Within a second the command says what became of its work.
    if (error instanceof CallAborted)
      await Promise.race([error.outcome, new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())]);
    const { code } = error as Error & { code?: string };
    const fix = error instanceof LamppostError ? error.fix : undefined;
    const { chargeState, jobId, chargeId, idempotencyKey } = error as Partial<JobFailed & CallAborted>;
    const made = error instanceof NotKept ? error.made : {};
    const message = messageOf(error);
    if (isJson)
      say(
        `${JSON.stringify({ error: { message, code, chargeState, jobId, chargeId, idempotencyKey }, ...made, fix })}\n`,
      );
    else note(`${[message, ...hintsFor(error, options)].join('\n')}\n`);
    process.exitCode = codeFor(error);
  }
};

listenForStop();
void main();
