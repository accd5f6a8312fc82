const BYTES = 4;

/** The bytes are little-endian on every machine, so that operators can move a database between machines. */
export const bytesOfVector = (vector: Float32Array): Buffer => {
  const bytes = Buffer.alloc(vector.length * BYTES);
  vector.forEach((value, at) => bytes.writeFloatLE(value, at * BYTES));
  return bytes;
};

/** The cosine of two vectors of length 1; 0 if they can't be compared. */
export const cosine = (vector: Float32Array, stored: Buffer): number => {
  if (stored.length !== vector.length * BYTES) return 0;
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) sum += (vector[at] ?? 0) * stored.readFloatLE(at * BYTES);
  return sum;
};
