import type { Lamppost } from '../lamppost.ts';
import { Misused, type OptionName, type Options } from './options.ts';

export interface Call {
  readonly client: Lamppost;
  /** The address of the service. */
  readonly baseUrl: string;
  readonly words: readonly string[];
  readonly options: Options;
}

/** The result of a command, as JSON and as text. */
export interface Said {
  readonly json: unknown;
  readonly text: string;
  /** Whether the text was printed while it arrived. */
  readonly isWritten?: boolean;
  /** Whether the text is already coloured, and the text of the service in it is already escaped. */
  readonly isPainted?: boolean;
  /** The exit code of a result that is no full success. */
  readonly exitCode?: number;
}

export interface Command {
  /** The arguments, with one line for each form. */
  readonly usage: readonly string[];
  readonly about: string;
  /** Further help for a new user. */
  readonly more?: string;
  readonly options: readonly OptionName[];
  /** Words that may follow the name of the command. */
  readonly words?: readonly string[];
  readonly examples: readonly string[];
  /** Whether the command needs a payer. */
  readonly costs?: boolean;
  /** Whether the command works without a payer at a service. */
  readonly isAlone?: boolean;
  /** Checks the arguments before anything is sent, made or paid. */
  readonly check?: (call: Pick<Call, 'words' | 'options'>) => Promise<unknown>;
  readonly run: (call: Call) => Promise<Said>;
}

export const only = ({ words }: Call, what: string): string => {
  const [word] = words;
  if (word === undefined || words.length > 1) throw new Misused(`Give one ${what}.`);
  return word;
};
