/** What checkpoints of a log begin with: the host of the service, and behind the first log its number. */
export const originOf = (host: string, id: number): string =>
  id === 1 ? `${host}/transparency` : `${host}/transparency/${id}`;
