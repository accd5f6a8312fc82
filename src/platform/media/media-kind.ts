export type MediaKind = 'image' | 'video';

const MEGABYTE = 1024 * 1024;

/** The largest medium of each kind that a caller may send. */
export const MEDIA_BYTES_MAX: Readonly<Record<MediaKind, number>> = {
  image: 8 * MEGABYTE,
  video: 40 * MEGABYTE,
};

export const kindOfType = (mime: string): MediaKind | undefined =>
  mime.startsWith('image/') ? 'image' : mime.startsWith('video/') ? 'video' : undefined;
