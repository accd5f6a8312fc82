#!/usr/bin/env node
import { parseArgs } from 'node:util';

import { COMMANDS } from './cli/commands.ts';
import { Misused, OPTIONS, type Options, keyOf, number } from './cli/options.ts';
import {
  BudgetExceeded,
  type JobFailed,
  Lamppost,
  LamppostError,
  type LamppostOptions,
  NoAnswer,
  type Signer,
} from './lamppost.ts';

/** What an exit code means. */
const EXIT = { refused: 1, usage: 2, money: 3, unheard: 4 } as const;

/** The wallet of LAMPPOST_PRIVATE_KEY, which only viem can make. */
const walletOf = async (privateKey: string): Promise<Signer> => {
  const accounts = 'viem/accounts';
  try {
    const { privateKeyToAccount } = (await import(accounts)) as {
      privateKeyToAccount: (key: string) => Signer;
    };
    return privateKeyToAccount(privateKey);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Misused('A wallet needs viem beside this package: npm install viem.');
  }
};

const clientFor = async (options: Options): Promise<Lamppost> => {
  const { LAMPPOST_URL, LAMPPOST_PRIVATE_KEY, LAMPPOST_SESSION } = process.env;
  const baseUrl = options.url ?? LAMPPOST_URL ?? 'http://127.0.0.1:3000';
  const perCall = number(options.max, 'max');
  const common: LamppostOptions = { baseUrl, ...(perCall !== undefined && { budget: { perCall } }) };
  const key = keyOf(options);
  if (key !== undefined) return new Lamppost({ ...common, key });
  if (LAMPPOST_SESSION !== undefined) return new Lamppost({ ...common, session: LAMPPOST_SESSION });
  if (LAMPPOST_PRIVATE_KEY === undefined) return new Lamppost(common);
  const { pay = 'x402' } = options;
  if (pay !== 'x402' && pay !== 'balance') throw new Misused('--pay is x402 or balance.');
  return new Lamppost({ ...common, wallet: await walletOf(LAMPPOST_PRIVATE_KEY), pay });
};

const help = (): string => {
  const commands = Object.values(COMMANDS).map(({ usage, about }) => `  lamppost ${usage}\n      ${about}`);
  const options = Object.entries(OPTIONS).map(
    ([name, option]) =>
      `  ${`${'short' in option ? `-${option.short}, ` : ''}--${name}`.padEnd(16)}${option.about}`,
  );
  return [
    'Images, films and text from a Lamppost service, paid call by call.',
    '',
    ...commands,
    '',
    ...options,
    '',
    'Ends with 0, or 1 when it was refused or failed, 2 when it was misused, 3 when it was a matter of money (nothing',
    'was paid), 4 when nobody answered: the same command may then have been paid; `lamppost jobs` shows it.',
  ].join('\n');
};

const codeFor = (error: unknown): number => {
  if (error instanceof Misused || error instanceof TypeError) return EXIT.usage;
  if (error instanceof BudgetExceeded) return EXIT.money;
  if (error instanceof NoAnswer) return EXIT.unheard;
  const isAboutMoney =
    error instanceof LamppostError && (error.status === 402 || error.code === 'PRICE_ABOVE_MAX');
  return isAboutMoney ? EXIT.money : EXIT.refused;
};

const read = (): { values: Options; positionals: string[] } => {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new Misused((error as Error).message);
  }
};

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const main = async (): Promise<void> => {
  const isJson = process.argv.includes('--json');
  try {
    const { values: options, positionals } = read();
    const [name, ...words] = positionals;
    if (options.help === true || name === undefined) {
      say(help());
      process.exitCode = options.help === true ? 0 : EXIT.usage;
      return;
    }
    const command = COMMANDS[name];
    if (command === undefined) throw new Misused(`There is no \`${name}\`; see lamppost --help.`);
    const said = await command.run({ client: await clientFor(options), words, options });
    say(isJson ? JSON.stringify(said.json) : said.text);
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    const fix = error instanceof LamppostError ? error.fix : undefined;
    const { chargeState, jobId } = error as Partial<JobFailed>;
    if (isJson) say(JSON.stringify({ error: { message, code, chargeState, jobId }, fix }));
    else
      process.stderr.write(
        `${message}\n${fix === undefined ? '' : `This would do: ${JSON.stringify(fix)}\n`}`,
      );
    process.exitCode = codeFor(error);
  }
};

void main();
