import { isURL } from 'class-validator';

/** An environment variable of a vendor; `T` is its type in the settings. */
export interface Setting<T = unknown> {
  readonly name: string;
  /** The explanation for operators. `.env.example` has it in the lines above the variable. */
  readonly about: readonly string[];
  /** The default; without one the setting is undefined. */
  readonly default?: string;
  /** If true and the variable is missing, the start fails. */
  readonly isNeeded?: boolean;
  /** Its value is hidden in every log line. */
  readonly isSecret?: boolean;
  /** Ends the sentence "NAME must be …". */
  readonly rule: string;
  /** Returns the value; undefined if the text breaks the rule. */
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

/** The address of a vendor's own service, or the address that an operator sets instead. */
export const urlSetting = (name: string, standard: string, ...about: string[]): Setting<string> => ({
  ...url,
  name,
  about,
  default: standard,
});

export const optionalUrlSetting = (name: string, ...about: string[]): Setting<string | undefined> => ({
  ...url,
  name,
  about,
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

/** A secret of several fields, as a line of JSON. */
export const secretJsonSetting = <T>(
  name: string,
  rule: string,
  read: (value: unknown) => T | undefined,
  ...about: string[]
): Setting<T | undefined> => ({
  name,
  about,
  isSecret: true,
  rule,
  read: (text) => {
    try {
      return read(JSON.parse(text) as unknown);
    } catch {
      return undefined;
    }
  },
});

/** A name that is part of addresses, such as a region. */
export const nameSetting = <Standard extends string | undefined>(
  name: string,
  standard: Standard,
  ...about: string[]
): Setting<string | Standard> => ({
  name,
  about,
  ...(standard === undefined ? {} : { default: standard }),
  rule: 'a name of letters, digits and dashes',
  read: (text) => (/^[A-Za-z0-9-]{1,63}$/.test(text) ? text : undefined),
});

/** Different words, separated by commas; empty while it is unset. */
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

/** The values between the commas. */
export const listOf = (text: string | undefined): readonly string[] =>
  (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
