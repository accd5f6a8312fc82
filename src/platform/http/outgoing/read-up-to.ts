/** Reads a whole body up to a limit. The rest of a larger body is not read. */
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
