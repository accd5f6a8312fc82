import { ifPresent } from '#kernel/present';

export interface Directives {
  readonly delayMs?: number;
  /** The pause between the words of a stream. */
  readonly paceMs?: number;
  readonly reject: boolean;
  readonly fail: boolean;
  readonly timeout: boolean;
  readonly lost: boolean;
  readonly uncancellable: boolean;
  /** The conversation does not fit into the context of the model. */
  readonly tooLong: boolean;
  readonly tokens?: number;
}

const DELAY_SECONDS_MAX = 3_600;
const PACE_SECONDS_MAX = 60;
const TOKENS_MAX = 8_192;

const secondsOf = (directive: 'delay' | 'pace', text: string): number | undefined =>
  ifPresent(new RegExp(`\\[\\[${directive} (\\d{1,4}(?:\\.\\d{1,3})?)s\\]\\]`).exec(text)?.[1], Number);

/** Reads a caller's instructions to the sandbox, such as `[[delay 3s]]` or `[[reject]]`. */
export const directivesIn = (text: string): Directives => {
  const delay = secondsOf('delay', text);
  const pace = secondsOf('pace', text);
  const tokens = /\[\[tokens (\d{1,5})\]\]/.exec(text)?.[1];
  return {
    delayMs: ifPresent(delay, (seconds) => Math.min(seconds, DELAY_SECONDS_MAX) * 1_000),
    paceMs: ifPresent(pace, (seconds) => Math.min(seconds, PACE_SECONDS_MAX) * 1_000),
    reject: text.includes('[[reject]]'),
    fail: text.includes('[[fail]]'),
    timeout: text.includes('[[timeout]]'),
    lost: text.includes('[[lost]]'),
    uncancellable: text.includes('[[uncancellable]]'),
    tooLong: text.includes('[[too long]]'),
    tokens: ifPresent(tokens, (count) => Math.min(Number(count), TOKENS_MAX)),
  };
};
