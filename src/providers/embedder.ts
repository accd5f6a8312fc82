import { AppError } from '../kernel/app-error';
import type { Guest } from '../kernel/slots';
import type { MediaKind } from './media-mode';

/** What is embedded of a reference. */
export interface EmbeddedMedia {
  readonly kind: MediaKind;
  /** For whom: who waits for a picture to be decoded is served in turn. */
  readonly owner: string | Guest;
  readonly label?: string;
  /** The bytes, for those who look at them. */
  readonly read: () => Promise<Buffer>;
}

/**
 * Turns texts and media into vectors of length 1, so that what is alike lies close together. Vectors of two spaces
 * can't be compared.
 */
export abstract class Embedder {
  /** Names the space; changes whenever the same input would get another vector. */
  abstract readonly space: string;
  /** Whether texts are sent outside; a dry run then leaves it out. */
  abstract readonly remote: boolean;
  /** Below this cosine two things have nothing to do with each other. */
  abstract readonly floor: number;

  abstract embedText(text: string): Promise<Float32Array>;

  /** Undefined when there is nothing in it that could be embedded. */
  abstract embedMedia(media: EmbeddedMedia): Promise<Float32Array | undefined>;

  /** False while the last attempt has failed. */
  abstract readonly healthy: boolean;
}

export class EmbedderUnavailable extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'PROVIDER_UNAVAILABLE';

  constructor(cause?: unknown) {
    super('References can not be searched just now. Nothing was charged; send it again in a moment.', {
      retryAfterSeconds: 5,
      cause,
    });
  }
}

/** Of length 1; undefined when there is no direction to keep. */
export const normalised = (vector: Float32Array): Float32Array | undefined => {
  const length = Math.hypot(...vector);
  return length > 0 && Number.isFinite(length) ? vector.map((value) => value / length) : undefined;
};
