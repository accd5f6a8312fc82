import { type EmbeddedMedia, Embedder, normalised } from '#models/providers/embedder';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Counts the letters of a text, so texts with the same letters are near to each other. */
const vectorOf = (text: string): Float32Array | undefined => {
  const vector = new Float32Array(LETTERS.length);
  for (const letter of text.toLowerCase()) {
    const at = LETTERS.indexOf(letter);
    if (at >= 0) vector[at] = (vector[at] ?? 0) + 1;
  }
  return normalised(vector);
};

export class SampleEmbedder extends Embedder {
  readonly space = 'sample-letters-1';
  readonly remote = false;
  readonly floor = 0.9;
  readonly healthy = true;

  embedText(text: string): Promise<Float32Array> {
    return Promise.resolve(vectorOf(text) ?? new Float32Array(LETTERS.length));
  }

  /** Undefined, if the label has no letter: there is nothing to embed. */
  embedMedia({ label = '' }: EmbeddedMedia): Promise<Float32Array | undefined> {
    return Promise.resolve(vectorOf(label));
  }
}
