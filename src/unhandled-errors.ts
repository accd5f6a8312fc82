import { credentials } from './billing/rails';
import type { Settings } from './platform/config/settings';
import { createLog } from './platform/telemetry/log';

/** Nobody knows what state such a process is in: it finishes what it does, and its supervisor starts a new one. */
export const stopOnUnhandledError = (settings: Settings, stop: () => void): void => {
  let told = false;
  const end = (error: unknown): void => {
    // What breaks while it goes was most likely broken by the first.
    if (told) return;
    told = true;
    createLog(settings, credentials()).fatal(
      { err: error instanceof Error ? error : new Error(String(error)) },
      'Something happened that nobody foresaw. The service takes no more calls, finishes those that run, and exits.',
    );
    stop();
  };
  for (const kind of ['uncaughtException', 'unhandledRejection'] as const) {
    // A library that brought a handler of its own, to throw again, would end the process in the middle of its calls.
    process.removeAllListeners(kind);
    process.on(kind, end);
  }
};
