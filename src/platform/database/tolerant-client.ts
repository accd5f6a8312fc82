import { Client, type ClientConfig } from 'pg';

/**
 * A connection that has an error listener from its first moment. A server that dies can end a connection in the same
 * packet that opens it, or while a pool hands it over. Nobody else listens then, and the error event would end the
 * process. The statement that uses the connection still fails.
 */
export class TolerantClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
