import type { Command } from './command.ts';
import { OPTIONS, type OptionName } from './options.ts';

const EVERYWHERE: readonly OptionName[] = ['url', 'key', 'json', 'help'];

const optionLines = (names: readonly OptionName[]): readonly string[] =>
  names.map((name) => {
    const option = OPTIONS[name];
    return `  ${`${'short' in option ? `-${option.short}, ` : ''}--${name}`.padEnd(18)}${option.about}`;
  });

const SETTINGS = [
  'Settings, from the environment:',
  '  LAMPPOST_URL          where the service is; http://127.0.0.1:3000 when absent',
  '  LAMPPOST_KEY          a key, lp_…: spends the credits of its account',
  '  LAMPPOST_PRIVATE_KEY  a wallet, 0x…: pays in USDC, call by call, or with --pay balance from what it topped up;',
  '                        needs viem beside this package: npm install viem',
  '  LAMPPOST_NETWORK      where the wallet pays, such as polygon; Base when absent',
  'Without a key and a wallet, in a sandbox, a test account is made for you.',
];

const CODES = [
  'Ends with 0, or 1 when it was refused or failed, 2 when it was misused, 3 when it was a matter of money (nothing',
  'was paid), 4 when nobody answered: the same command may then have been paid; `lamppost jobs` shows it; 130 when you have',
  'stopped an answer with Ctrl-C.',
];

/** The list of commands. */
export const helpFor = (commands: Readonly<Record<string, Command>>): string =>
  [
    'Images, films and text from a Lamppost service, paid call by call.',
    '',
    '  lamppost image A red fox in the snow',
    '  lamppost chat Why are lampposts green?',
    '',
    'Commands; `lamppost COMMAND --help` shows all about one:',
    ...Object.entries(commands).map(([name, { about }]) => `  lamppost ${name.padEnd(12)}${about}`),
    '',
    ...SETTINGS,
    '',
    ...CODES,
  ].join('\n');

/** The help of one command. */
export const helpOf = (name: string, { usage, about, more, options, examples }: Command): string =>
  [
    ...usage.map((text) => `  lamppost ${name} ${text}`.trimEnd()),
    '',
    `${about[0]?.toUpperCase()}${about.slice(1)}.`,
    ...(more === undefined ? [] : [more]),
    '',
    'For example:',
    ...examples.map((text) => `  lamppost ${name} ${text}`.trimEnd()),
    '',
    ...optionLines([...options, ...EVERYWHERE.filter((option) => !options.includes(option))]),
  ].join('\n');
