import type { MediaSize } from '../media-provider';

/** The longer edge by tier; 1K by default. */
const EDGES: Readonly<Record<string, number>> = {
  '480p': 854,
  '720p': 1280,
  '1080p': 1920,
  '4K': 3840,
  '1K': 1024,
  '2K': 2048,
};
const EDGE_DEFAULT = 1_024;

const ratioOf = (text: string | undefined): number => {
  const match = /^(\d{1,3}):(\d{1,3})$/.exec(text ?? '1:1');
  return match === null ? 1 : Number(match[1]) / Number(match[2]);
};

const even = (value: number): number => Math.max(2, Math.round(value / 2) * 2);

/** Width and height in pixels. Both are even, as videos require, unless the call names exact pixels. */
export const dimensionsOf = (size: MediaSize): { readonly width: number; readonly height: number } => {
  const exact = /^(\d{2,4})x(\d{2,4})$/.exec(size.imageSize ?? '');
  if (exact !== null) return { width: Number(exact[1]), height: Number(exact[2]) };
  const edge = EDGES[size.resolution ?? ''] ?? EDGE_DEFAULT;
  const ratio = ratioOf(size.aspectRatio);
  return ratio >= 1
    ? { width: even(edge), height: even(edge / ratio) }
    : { width: even(edge * ratio), height: even(edge) };
};
