/** The first line of a log's checkpoints: the host of the service, and from the second log on its number. */
export const originOf = (host: string, id: number): string =>
  id === 1 ? `${host}/transparency` : `${host}/transparency/${id}`;
