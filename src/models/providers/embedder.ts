import type { Guest } from '#kernel/slots';
import type { MediaKind } from './media-mode';

/** The parts of a reference that an embedder uses. */
export interface EmbeddedMedia {
  readonly kind: MediaKind;
  /** The owner of the media. The service shares decoding fairly among owners. */
  readonly owner: string | Guest;
  readonly label?: string;
  /** The bytes, for embedders that read them. */
  readonly read: () => Promise<Buffer>;
}

/**
 * Turns texts and media into vectors of length 1, so that similar inputs are close together. Vectors of two spaces
 * can't be compared.
 */
export abstract class Embedder {
  /** Names the space. The name changes whenever the same input would get another vector. */
  abstract readonly space: string;
  /** Whether the embedder sends texts to an outside service. A dry run then embeds no text. */
  abstract readonly remote: boolean;
  /** Below this cosine two inputs are unrelated. */
  abstract readonly floor: number;

  abstract embedText(text: string): Promise<Float32Array>;

  /** Undefined if there is nothing to embed. */
  abstract embedMedia(media: EmbeddedMedia): Promise<Float32Array | undefined>;

  /** False if the last attempt failed. */
  abstract readonly healthy: boolean;
}

/** Scales a vector to length 1. Undefined if its length is 0 or not finite. */
export const normalised = (vector: Float32Array): Float32Array | undefined => {
  const length = Math.hypot(...vector);
  return length > 0 && Number.isFinite(length) ? vector.map((value) => value / length) : undefined;
};
