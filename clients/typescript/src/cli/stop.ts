const stop = new AbortController();

/** The reason why the command must stop. It may still end its running work. */
export const stopReason: { is?: 'interrupted' | 'unread' } = {};

/**
 * Aborted by Ctrl-C, and when the reader closes the output (`| head`). Running work is then cancelled, or charged for
 * its output so far. A second Ctrl-C ends the command at once.
 */
export const stopped: AbortSignal = stop.signal;

export const listenForStop = (): void => {
  process.once('SIGINT', () => {
    stopReason.is ??= 'interrupted';
    stop.abort();
  });
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      stopReason.is ??= 'unread';
      stop.abort();
    });
  }
};
