import { note } from './output.ts';

const stop = new AbortController();

/** The reason why the command must stop. It may still end its running work. */
export const stopReason: { is?: 'interrupted' | 'terminated' | 'unread' } = {};

/** The time in which a stopped command cancels its work. */
export const STOP_MS = 800;
const END_MS = 1_000;
const SIGNALS = { SIGINT: ['interrupted', 130], SIGTERM: ['terminated', 143] } as const;

/**
 * Aborted by Ctrl-C and SIGTERM, and when the reader closes the output (`| head`). Running work is then cancelled, or
 * charged for its output so far. A second signal ends the command at once.
 */
export const stopped: AbortSignal = stop.signal;

export const exitCodeOfStop = (): number => (stopReason.is === 'terminated' ? 143 : 130);

export const listenForStop = (): void => {
  for (const [signal, [reason, code]] of Object.entries(SIGNALS)) {
    process.once(signal, () => {
      stopReason.is ??= reason;
      stop.abort();
      setTimeout(() => {
        note('Stopped. `lamppost jobs` shows what goes on.\n');
        process.exit(code);
      }, END_MS).unref();
    });
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      stopReason.is ??= 'unread';
      stop.abort();
    });
  }
};
