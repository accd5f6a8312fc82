import type { BulkJobOptions } from 'bullmq';

interface Turn<Data> {
  readonly name: string;
  readonly data: Data;
  readonly opts: BulkJobOptions;
}

/**
 * Entries of a queue in which each id has at most one. An entry that is added while a worker has that of the same id is
 * kept until the worker ends.
 */
export const turnsOf = <Data>(ids: readonly string[], dataOf: (id: string) => Data): Turn<Data>[] =>
  ids.map((id) => ({
    name: 'turn',
    data: dataOf(id),
    opts: {
      deduplication: { id, keepLastIfActive: true },
      attempts: 1,
      removeOnComplete: true,
      removeOnFail: 100,
    },
  }));
