import type { EventEmitter } from 'node:events';

const heard = (): void => undefined;

/**
 * Gives a stream or a socket an error listener from its first moment. An error event without a listener ends the
 * process, and it may come at any time, also before the first read and after the last. The reader gets the same error.
 */
export const withErrorListener = <T extends EventEmitter>(stream: T): T => {
  stream.on('error', heard);
  return stream;
};
