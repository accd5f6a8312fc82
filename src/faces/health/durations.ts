/** Each bucket is longer than the previous one by this factor, so the error of a quantile is at most 2.5 %. */
const STEP = 1.05;
const SHORTEST_SECONDS = 0.001;

/** The bucket of a number of seconds, as SQL for an expression. */
export const bucketOf = (seconds: string): string =>
  `floor(ln(greatest((${seconds})::float8, ${SHORTEST_SECONDS})) / ln(${STEP}))::smallint`;

export interface DurationBucket {
  readonly bucket: number;
  readonly count: number;
}

/** A quantile in seconds; undefined without calls. The buckets come in any order. */
export const quantileOf = (buckets: readonly DurationBucket[], share: number): number | undefined => {
  const sorted = buckets.filter(({ count }) => count > 0).sort((a, b) => a.bucket - b.bucket);
  const wanted = share * sorted.reduce((sum, { count }) => sum + count, 0);
  let passed = 0;
  for (const { bucket, count } of sorted) {
    passed += count;
    if (passed >= wanted) return STEP ** (bucket + 0.5);
  }
  return undefined;
};
