import type { MediaKind } from '#platform/media/media-kind';

export type { MediaKind };

/**
 * The input and output of a media model. `t2v`: text to video. `swap` also takes a face, `motion` an image and a clip.
 */
export const MEDIA_MODES = ['t2i', 'i2i', 't2v', 'i2v', 'swap', 'motion'] as const;
export type MediaMode = (typeof MEDIA_MODES)[number];

export const kindOf = (mode: MediaMode): MediaKind =>
  mode === 't2v' || mode === 'i2v' || mode === 'motion' ? 'video' : 'image';
