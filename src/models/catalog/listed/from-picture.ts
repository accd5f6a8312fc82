import type { MediaMode } from '#models/providers/media-mode';

/** The ends of the ids of models that work from a picture, if their maker's model also works without one. */
const FROM_PICTURE: Partial<Readonly<Record<MediaMode, string>>> = { i2i: 'edit', i2v: 'image-to-video' };

export const endOf = (mode: MediaMode): string => FROM_PICTURE[mode] ?? mode;

/** The maker's name in the id of a model for work from a picture. Undefined if it is none. */
export const makersNameIn = (id: string): string | undefined =>
  Object.values(FROM_PICTURE).flatMap((end) =>
    id.endsWith(`/${end}`) ? [id.slice(0, -end.length - 1)] : [],
  )[0];

/** The ids of a maker's model for work from a picture. */
export const idsFromPicture = (id: string): readonly string[] =>
  Object.values(FROM_PICTURE).map((end) => `${id}/${end}`);
