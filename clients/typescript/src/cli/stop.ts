const stop = new AbortController();

/** The reason why the command was stopped, while it may still end its work. */
export const stopReason: { is?: 'interrupted' | 'unread' } = {};

/**
 * Aborted by Ctrl-C, and when the output is closed (`| head`). Running work is then cancelled, or charged for its
 * output. A second Ctrl-C ends the command at once.
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
