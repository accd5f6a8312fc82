import { credentials } from './money/billing/rails/rail-order';
import type { Settings } from './settings';
import { createLog } from './platform/telemetry/log';

/**
 * Stops the process after an unhandled error, because its state is unknown. It finishes its calls and ends, and its
 * supervisor starts a new one.
 */
export const stopOnUnhandledError = (settings: Settings, stop: () => void): void => {
  let isLogged = false;
  const end = (error: unknown): void => {
    // Only the first error is logged, because later errors are probably its consequences.
    if (isLogged) return;
    isLogged = true;
    createLog(settings, credentials()).fatal(
      { err: error instanceof Error ? error : new Error(String(error)) },
      'Unexpected error. The service accepts no more calls, finishes the running ones, and exits.',
    );
    stop();
  };
  for (const kind of ['uncaughtException', 'unhandledRejection'] as const) {
    // The handler of a library may throw again, and this would end the process before its calls are finished.
    process.removeAllListeners(kind);
    process.on(kind, end);
  }
};
