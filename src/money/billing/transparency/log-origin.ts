/**
 * The first line of a log's checkpoints. It contains the host of the service and, after the first log, the log's
 * number.
 */
export const originOf = (host: string, id: number): string =>
  id === 1 ? `${host}/transparency` : `${host}/transparency/${id}`;

/** The kind of proof whose keys sign checkpoints, all of them. A stored verifier key of either secret then proves a checkpoint. */
export const LOG_KEYS = 'transparency';
