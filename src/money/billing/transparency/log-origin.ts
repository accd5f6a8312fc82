/**
 * The first line of a log's checkpoints. It contains the host of the service and, after the first log, the log's
 * number.
 */
export const originOf = (host: string, id: number): string =>
  id === 1 ? `${host}/transparency` : `${host}/transparency/${id}`;
