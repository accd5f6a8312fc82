import type { Lamppost } from '../lamppost.ts';
import { Misused, type OptionName, type Options } from './options.ts';

export interface Call {
  readonly client: Lamppost;
  /** Where the service is. */
  readonly baseUrl: string;
  readonly words: readonly string[];
  readonly options: Options;
}

/** What a command says: the same as JSON and as text. */
export interface Said {
  readonly json: unknown;
  readonly text: string;
  /** Whether the text was written already, as it came. */
  readonly isWritten?: boolean;
  /** Whether the text is coloured, and its foreign words are harmless. */
  readonly isPainted?: boolean;
  /** Where it is not 0, although there is something to say. */
  readonly exitCode?: number;
}

export interface Command {
  /** What follows the name, one for each way to use it. */
  readonly usage: readonly string[];
  readonly about: string;
  /** What a newcomer wants to know beside that. */
  readonly more?: string;
  readonly options: readonly OptionName[];
  /** Words that may follow the name. */
  readonly words?: readonly string[];
  readonly examples: readonly string[];
  /** Whether somebody has to pay for it. */
  readonly costs?: boolean;
  /** Whether it has nothing to do with who pays at a service. */
  readonly isAlone?: boolean;
  readonly run: (call: Call) => Promise<Said>;
}

export const only = ({ words }: Call, what: string): string => {
  const [word] = words;
  if (word === undefined || words.length > 1) throw new Misused(`Give one ${what}.`);
  return word;
};
