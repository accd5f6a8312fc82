import type { EventEmitter } from 'node:events';

const heard = (): void => undefined;

/**
 * Adds an error listener to a stream or a socket at once. An error event without a listener ends the process. It may
 * come at any time, even before the first read and after the last. The reader gets the same error.
 */
export const withErrorListener = <T extends EventEmitter>(stream: T): T => {
  stream.on('error', heard);
  return stream;
};
