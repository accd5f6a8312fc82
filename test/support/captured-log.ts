import { Logger, type LoggerService } from '@nestjs/common';

/** Nest passes all values of the log call, with the context last. */
const lineOf = (message: unknown, rest: readonly unknown[]): string =>
  [message, ...rest].map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' ');

/** The log lines between `start` and `release`, by level. */
export class CapturedLog implements LoggerService {
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  readonly others: string[] = [];

  static start(): CapturedLog {
    const log = new CapturedLog();
    Logger.overrideLogger(log);
    return log;
  }

  release(): void {
    Logger.overrideLogger(false);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.errors.push(lineOf(message, rest));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.warnings.push(lineOf(message, rest));
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.others.push(lineOf(message, rest));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.others.push(lineOf(message, rest));
  }
}
