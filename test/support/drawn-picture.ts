import sharp, { type Sharp } from 'sharp';

export type Color = readonly [red: number, green: number, blue: number];

export type Shape =
  | { readonly circle: readonly [x: number, y: number, radius: number]; readonly color: Color }
  | { readonly bar: readonly [x: number, y: number, width: number, height: number]; readonly color: Color };

const covers = (shape: Shape, x: number, y: number): boolean => {
  if ('circle' in shape) {
    const [left, top, radius] = shape.circle;
    return (x - left) ** 2 + (y - top) ** 2 <= radius ** 2;
  }
  const [left, top, width, height] = shape.bar;
  return x >= left && x < left + width && y >= top && y < top + height;
};

const SIDE = 256;

/** A picture of shapes on a background, on a grid of 256 by 256. The image library of this process draws no SVG. */
export const drawnPicture = (
  background: Color,
  shapes: readonly Shape[],
  width = SIDE,
  height = SIDE,
): Sharp => {
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at += 1) {
    const [x, y] = [((at % width) * SIDE) / width, (Math.floor(at / width) * SIDE) / height];
    pixels.set(shapes.findLast((shape) => covers(shape, x, y))?.color ?? background, at * 3);
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
};
