/**
 * The number of the first block that is not older than `since`, in Unix seconds; undefined if even `newest` is older.
 */
export const firstBlockSince = async (
  since: bigint,
  newest: bigint,
  timeOf: (block: bigint) => Promise<bigint>,
): Promise<bigint | undefined> => {
  if ((await timeOf(newest)) < since) return undefined;
  let [oldest, young] = [0n, newest];
  while (oldest < young) {
    const middle = (oldest + young) / 2n;
    if ((await timeOf(middle)) < since) oldest = middle + 1n;
    else young = middle;
  }
  return young;
};
