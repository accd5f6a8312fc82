import { isURL } from 'class-validator';

/** A variable of the environment that a vendor brings along; `T` is what stands in the settings. */
export interface Setting<T = unknown> {
  readonly name: string;
  /** What an operator must know beside the name, as the lines above it in `.env.example`. */
  readonly about: readonly string[];
  /** Holds where the variable is unset; without one the setting is then undefined. */
  readonly default?: string;
  /** Without it the start stops. */
  readonly isNeeded?: boolean;
  /** Its value is hidden wherever a line of the log holds it. */
  readonly isSecret?: boolean;
  /** Ends the sentence "NAME must be …". */
  readonly rule: string;
  /** Undefined when the text breaks the rule. */
  read(text: string): T | undefined;
}

const TEXT_CHARS_MAX = 2_000;

const url = {
  rule: 'an http or https address',
  read: (text: string): string | undefined =>
    isURL(text, { protocols: ['http', 'https'], require_protocol: true, require_tld: false })
      ? text
      : undefined,
};

/** The address of a vendor's own service, unless an operator has another one. */
export const urlSetting = (name: string, standard: string, ...about: string[]): Setting<string> => ({
  ...url,
  name,
  about,
  default: standard,
});

export const neededUrlSetting = (name: string, ...about: string[]): Setting<string> => ({
  ...url,
  name,
  about,
  isNeeded: true,
});

/** A key or a token. */
export const secretSetting = (name: string, ...about: string[]): Setting<string | undefined> => ({
  name,
  about,
  isSecret: true,
  rule: `a text of at most ${TEXT_CHARS_MAX} characters`,
  read: (text) => (text.length <= TEXT_CHARS_MAX ? text : undefined),
});

/** Words with commas between them, none of them twice; none at all while it is unset. */
export const listSetting = <T extends string>(
  name: string,
  isWord: (word: string) => word is T,
  rule: string,
  ...about: string[]
): Setting<readonly T[]> => ({
  name,
  about,
  default: '',
  rule,
  read: (text) => {
    const words = listOf(text);
    return words.every(isWord) && new Set(words).size === words.length ? words : undefined;
  },
});

/** What stands between commas. */
export const listOf = (text: string | undefined): readonly string[] =>
  (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
