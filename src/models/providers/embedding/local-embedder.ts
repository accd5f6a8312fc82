import { createHash } from 'node:crypto';

import { plainLetters } from '#kernel/plain-letters';
import type { Guest } from '#kernel/slots';
import { decodeImage } from '#platform/media/image-decoding';
import { type EmbeddedMedia, Embedder, normalised } from '../embedder';
import { wordsOfPixels } from './colour-words';

const DIMENSIONS = 384;
const EDGE = 32;
/** Words that are in nearly every prompt and carry no information. */
const EMPTY_WORDS = new Set(
  (
    'a an and are as at be by for from has have her his in into is it its my of on or our over she he that the their ' +
    'them they this to under up was were will with you your'
  ).split(' '),
);
/** Parts of words make inflections similar: `cars` is near to `car`. */
const PART_WEIGHT = 0.35;

/**
 * Works offline and without a model. Texts and labels are bags of words, and an image adds the words for its colours.
 * The embedder knows no synonyms and recognises no objects, so a text matches only words of labels and colours.
 */
export class LocalEmbedder extends Embedder {
  readonly space = 'local-1';
  readonly remote = false;
  readonly floor = 0.2;
  readonly healthy = true;

  embedText(text: string): Promise<Float32Array> {
    return Promise.resolve(vectorOf(weightsOf(text)) ?? new Float32Array(DIMENSIONS));
  }

  async embedMedia({ kind, owner, label = '', read }: EmbeddedMedia): Promise<Float32Array | undefined> {
    const words = weightsOf(label);
    if (kind === 'image') {
      for (const [word, weight] of await this.seenIn(await read(), owner)) {
        words.set(word, Math.max(weight, words.get(word) ?? 0));
      }
    }
    return vectorOf(words);
  }

  private async seenIn(bytes: Buffer, owner: string | Guest): Promise<ReadonlyMap<string, number>> {
    const { data } = await decodeImage(bytes, owner, [
      ['flatten', { background: 'white' }],
      ['toColourspace', 'srgb'],
      ['resize', EDGE, EDGE, { fit: 'fill' }],
      ['raw'],
    ]);
    return wordsOfPixels(data);
  }
}

const weightsOf = (text: string): Map<string, number> => {
  const words = plainLetters(text).split(/[^\p{L}\p{N}]+/u);
  return new Map(
    words.filter((word) => word !== '' && !EMPTY_WORDS.has(word)).map((word) => [word, 1] as const),
  );
};

/**
 * Each word is spread over eight positions with different signs, so two words that share one position by chance are
 * hardly similar.
 */
const vectorOf = (words: ReadonlyMap<string, number>): Float32Array | undefined => {
  const vector = new Float32Array(DIMENSIONS);
  const add = (feature: string, weight: number): void => {
    const hash = createHash('sha256').update(feature).digest();
    for (let at = 0; at < hash.length; at += 4) {
      const bits = hash.readUInt32LE(at);
      const index = (bits >>> 1) % DIMENSIONS;
      vector[index] = (vector[index] ?? 0) + (bits % 2 === 0 ? weight : -weight);
    }
  };
  for (const [word, weight] of words) {
    add(word, weight);
    const parts = word.length < 4 ? [] : [`${word.slice(0, 3)}…`, `${word.slice(0, 4)}…`];
    if (word.length === 3) parts.push(`${word}…`);
    for (const part of parts) add(part, weight * PART_WEIGHT);
  }
  return normalised(vector);
};
