import type { LoggerService } from '@nestjs/common';
import pino, { type DestinationStream, type Level, type Logger } from 'pino';
import pretty from 'pino-pretty';

import type { Credentials } from '../http/credentials';
import { requestLine } from '../http/request-context';
import { REDACTED, SECRET_CHARS_MIN, type Scrubber, createScrubber } from './scrub';
import type { ProcessSettings } from '../config/process.settings';
import type { TelemetrySettings } from './telemetry.settings';
import type { CommonSettings } from '../config/settings';
import { OutsideFailure, outsideReason } from '#kernel/outside-failure';

export type LogSettings = Pick<
  ProcessSettings & TelemetrySettings & CommonSettings,
  'mode' | 'logLevel' | 'secrets'
>;

/** It writes each line at once, because the last line before a crash matters most. */
const standardOutput = (settings: LogSettings): DestinationStream =>
  settings.mode === 'development' && process.stdout.isTTY
    ? pretty({ sync: true, colorize: true, ignore: 'pid', singleLine: true, translateTime: 'SYS:HH:MM:ss.l' })
    : pino.destination({ dest: 1, sync: true });

const scrubArgument = (argument: unknown, { scrubValue }: Scrubber): unknown =>
  argument instanceof Error ? { err: scrubValue(argument) } : scrubValue(argument);

/** Matches each secret as JSON writes it in a log line. */
const patternOf = (secrets: readonly string[]): RegExp | undefined => {
  const texts = secrets
    .filter(({ length }) => length >= SECRET_CHARS_MIN)
    .map((secret) =>
      JSON.stringify(secret)
        .slice(1, -1)
        .replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
    );
  return texts.length === 0 ? undefined : new RegExp(texts.join('|'), 'g');
};

/**
 * Hides the secrets of the service's own settings anywhere in a line. The secrets may change while the service runs.
 */
const hiding = (settings: LogSettings): ((line: string) => string) => {
  let known: readonly string[] = [];
  let pattern: RegExp | undefined;
  return (line) => {
    const { secrets } = settings;
    if (secrets !== known) [known, pattern] = [secrets, patternOf(secrets)];
    return pattern === undefined ? line : line.replace(pattern, REDACTED);
  };
};

/** Writes one JSON line for each event. All values pass the scrubber here, so no caller can forget it. */
export const createLog = (
  settings: LogSettings,
  credentials: Credentials,
  destination: DestinationStream = standardOutput(settings),
  /** Fields of each line besides its own fields and the id of its request. */
  fields?: () => object,
): Logger => {
  const scrubber = createScrubber(credentials);
  return pino(
    {
      level: settings.logLevel,
      base: { pid: process.pid },
      mixin: () => ({ ...requestLine(), ...fields?.() }),
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // The scrubber has already converted errors to plain objects, so pino's own serializer would call them all
      // `Object`.
      serializers: { err: (error: unknown) => error },
      hooks: {
        streamWrite: hiding(settings),
        logMethod(args, method) {
          method.apply(this, args.map((argument) => scrubArgument(argument, scrubber)) as typeof args);
        },
      },
    },
    destination,
  );
};

/** Parts of the framework that log each module and each route at the start. Operators do not need these lines. */
const CHATTER: ReadonlySet<unknown> = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
]);

const isStack = (text: unknown): text is string => typeof text === 'string' && /\n\s+at /.test(text);

const MINUTE_MS = 60_000;
/**
 * The most lines with the same words in a minute. A failure of a thousand jobs is then still visible, but does not
 * flood the log.
 */
const SAME_LINES_MAX: Partial<Record<Level, number>> = { warn: 5, error: 20 };
const KINDS_MAX = 1_000;

interface SameLines {
  until: number;
  count: number;
}

/** Counts lines with the same words, so that no outside cause floods the log. */
class Repetitions {
  private readonly seen = new Map<string, SameLines>();

  /** The number of equal lines that were dropped before this line; undefined if this line must be dropped, too. */
  leftOut(level: Level, kind: string): number | undefined {
    const max = SAME_LINES_MAX[level];
    if (max === undefined) return 0;
    const now = Date.now();
    const same = this.seen.get(kind);
    if (same === undefined || now >= same.until) {
      if (this.seen.size >= KINDS_MAX) this.seen.clear();
      this.seen.set(kind, { until: now + MINUTE_MS, count: 1 });
      return Math.max(0, (same?.count ?? 0) - max);
    }
    same.count += 1;
    return same.count > max ? undefined : 0;
  }
}

/**
 * A failed call to another party gets its reason in words instead of the error with its stacks. Lines of the level
 * `error` may report a bug, so they keep the stacks, unless their error is such a failure itself.
 */
const inOneLine = (level: Level, { err, ...fields }: { readonly err?: unknown }): object => {
  const why = level === 'warn' || err instanceof OutsideFailure ? outsideReason(err) : undefined;
  return why === undefined ? { ...fields, err } : { ...fields, why };
};

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** Nest's own `Logger` writes to this class, so the framework and every module use the same log. */
export class ServiceLog implements LoggerService {
  private readonly repetitions = new Repetitions();

  constructor(private readonly pino: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(CHATTER.has(rest.at(-1)) ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /**
   * Nest passes the context as the last argument. Before it, Nest's errors may have a stack, and our own calls have
   * `(fields, sentence)`.
   */
  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    if (!this.pino.isLevelEnabled(level)) return;
    const last = rest.at(-1);
    const hasContext = typeof last === 'string' && !isStack(last);
    const others = (hasContext ? rest.slice(0, -1) : rest).filter((item) => item !== undefined);
    const stack = others.find(isStack);
    const sentences = [message, ...others].filter(
      (item): item is string => typeof item === 'string' && item !== stack,
    );
    const fields = [message, ...others].filter((item) => typeof item === 'object' && item !== null);
    const merged = Object.assign(
      hasContext ? { context: last } : {},
      stack === undefined ? {} : { stack },
      ...fields.map((item) => (item instanceof Error ? { err: item } : item)),
    ) as object;
    const sentence = sentences.join(' ');
    const { context, err, provider } = merged as { context?: unknown; err?: unknown; provider?: unknown };
    const kind = [level, context, provider, nameOf(err), sentence].join('|');
    const leftOut = this.repetitions.leftOut(level, kind);
    if (leftOut === undefined) return;
    const shown = 'err' in merged && !this.pino.isLevelEnabled('debug') ? inOneLine(level, merged) : merged;
    this.pino[level](leftOut === 0 ? shown : { ...shown, leftOut }, sentence || undefined);
  }
}
