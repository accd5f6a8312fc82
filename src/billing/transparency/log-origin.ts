/** The first line of a log's checkpoints: the host of the service, and for all logs but the first their number. */
export const originOf = (host: string, id: number): string =>
  id === 1 ? `${host}/transparency` : `${host}/transparency/${id}`;
