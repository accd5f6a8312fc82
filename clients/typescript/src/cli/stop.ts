const stop = new AbortController();

/** Why the command was told to stop, while it may still end what it has begun. */
export const stopReason: { is?: 'interrupted' | 'unread' } = {};

/**
 * Aborted by Ctrl-C, and when nobody reads the output any more (`| head`). What runs until then is cancelled or paid for what
 * was said. Ctrl-C pressed again ends the command at once.
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
