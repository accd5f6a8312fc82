/** The whole of a body that may not be larger; the rest of one that is larger is not taken. */
export const readUpTo = async (body: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new RangeError(`more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};
