import type { EventEmitter } from 'node:events';

const heard = (): void => undefined;

/**
 * Gives a stream or a socket somebody who hears its errors, from the moment it exists: an error that nobody listens for
 * ends the process, and it may come at any time, also before the first read and after the last. Whoever reads it hears
 * the same error.
 */
export const withErrorListener = <T extends EventEmitter>(stream: T): T => {
  stream.on('error', heard);
  return stream;
};
