import type { EventEmitter } from 'node:events';

const ignore = (): void => undefined;

/**
 * Adds an error listener to a stream or a socket, because an error event without a listener ends the process. Such an
 * event may come before the first read or after the last one, so call this at once. The reader still gets the same
 * error.
 */
export const withErrorListener = <T extends EventEmitter>(stream: T): T => {
  stream.on('error', ignore);
  return stream;
};
