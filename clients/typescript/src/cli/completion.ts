import type { Command } from './command.ts';
import { Misused, OPTIONS } from './options.ts';

const long = (options: readonly string[]): readonly string[] => options.map((name) => `--${name}`);

/** The words that may follow a command. */
const wordsAfter = ({ options, words = [] }: Command): string =>
  [...words, ...long([...options, 'url', 'key', 'json', 'help'])].join(' ');

const bash = (commands: Readonly<Record<string, Command>>): string => `_lamppost() {
  local words
  case "\${COMP_WORDS[1]}" in
${Object.entries(commands)
  .map(([name, command]) => `    ${name}) words="${wordsAfter(command)}" ;;`)
  .join('\n')}
    *) words="" ;;
  esac
  [ "$COMP_CWORD" = 1 ] && words="${Object.keys(commands).join(' ')} --help"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _lamppost lamppost`;

const quoted = (text: string): string => text.replaceAll("'", "'\\''");

const zsh = (commands: Readonly<Record<string, Command>>): string => `_lamppost() {
  local -a commands after
  commands=(
${Object.entries(commands)
  .map(([name, { about }]) => `    '${name}:${quoted(about.replaceAll(':', '\\:'))}'`)
  .join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case $words[2] in
${Object.entries(commands)
  .map(([name, command]) => `    ${name}) after=(${wordsAfter(command)}) ;;`)
  .join('\n')}
  esac
  compadd -a after
  _files
}
compdef _lamppost lamppost`;

const fish = (commands: Readonly<Record<string, Command>>): string =>
  [
    'complete -c lamppost -e',
    ...Object.entries(commands).flatMap(([name, { about, options, words = [] }]) => [
      `complete -c lamppost -n __fish_use_subcommand -f -a ${name} -d '${quoted(about)}'`,
      ...words.map((word) => `complete -c lamppost -n '__fish_seen_subcommand_from ${name}' -f -a ${word}`),
      ...options.map((option) => {
        const { about: what, type } = OPTIONS[option];
        const value = type === 'string' ? ' -r' : '';
        return `complete -c lamppost -n '__fish_seen_subcommand_from ${name}' -l ${option}${value} -d '${quoted(what)}'`;
      }),
    ]),
    ...(['url', 'key', 'json', 'help'] as const).map(
      (option) => `complete -c lamppost -l ${option} -d '${quoted(OPTIONS[option].about)}'`,
    ),
  ].join('\n');

const SHELLS: Readonly<Record<string, (commands: Readonly<Record<string, Command>>) => string>> = {
  bash,
  zsh,
  fish,
};

/** The script that completes commands in a shell. */
export const completionFor = (shell: string, commands: Readonly<Record<string, Command>>): string => {
  const script = SHELLS[shell];
  if (script === undefined) throw new Misused('It is bash, zsh or fish.');
  return script(commands);
};
