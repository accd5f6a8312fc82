import { createHash } from 'node:crypto';

import { GLYPH_HEIGHT, GLYPH_WIDTH, isInk } from './font';

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and opacity of each pixel, row by row. */
  readonly pixels: Buffer;
}

type Colour = readonly [number, number, number];

const colourAt = (hash: Buffer, at: number): Colour => [hash[at] ?? 0, hash[at + 1] ?? 0, hash[at + 2] ?? 0];

const mix = (a: Colour, b: Colour, part: number): Colour => [
  Math.round(a[0] + (b[0] - a[0]) * part),
  Math.round(a[1] + (b[1] - a[1]) * part),
  Math.round(a[2] + (b[2] - a[2]) * part),
];

const lines = (text: string, width: number): string[] => {
  const words = text.split(/\s+/);
  const all: string[] = [];
  let line = '';
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length > width && line !== '') {
      all.push(line);
      line = word.slice(0, width);
    } else {
      line = longer.slice(0, width);
    }
  }
  return [...all, line];
};

/**
 * Draws the sandbox's picture of a prompt: two colours and a sun from the prompt's hash, and the prompt itself.
 * `moment` from 0 to 1 moves the sun, for films. The same prompt always gives the same picture.
 */
export const drawPrompt = (prompt: string, width: number, height: number, moment = 0.5): Picture => {
  const hash = createHash('sha256').update(prompt).digest();
  const [top, bottom, sun] = [colourAt(hash, 0), colourAt(hash, 3), colourAt(hash, 6)];
  const pixels = Buffer.alloc(width * height * 4);
  const radius = Math.min(width, height) * (0.12 + (hash[9] ?? 0) / 2_000);
  const centreX = width * (0.1 + 0.8 * moment);
  const centreY = height * 0.35 + Math.sin(moment * Math.PI) * -height * 0.1;
  const sunColour = Buffer.from([...sun, 255]);
  // Fills whole runs of one colour, because a picture of eight million pixels must not block other callers.
  const paint = (y: number, fromX: number, toX: number, colour: Buffer): void => {
    if (fromX < toX) pixels.fill(colour, (y * width + fromX) * 4, (y * width + toX) * 4);
  };
  for (let y = 0; y < height; y += 1) {
    paint(y, 0, width, Buffer.from([...mix(top, bottom, y / height), 255]));
    const half = Math.sqrt(Math.max(0, radius ** 2 - (y - centreY) ** 2));
    if (half > 0)
      paint(y, Math.max(0, Math.ceil(centreX - half)), Math.min(width, Math.ceil(centreX + half)), sunColour);
  }
  write({ width, height, pixels }, `SANDBOX ${prompt}`);
  return { width, height, pixels };
};

/** Writes in a dark band at the bottom, so that the text is readable on any colours. */
const write = ({ width, height, pixels }: Picture, text: string): void => {
  const scale = Math.max(1, Math.floor(width / 320));
  const columns = Math.max(1, Math.floor(width / (GLYPH_WIDTH * scale)) - 2);
  const rows = Math.max(1, Math.floor((height * 0.4) / (GLYPH_HEIGHT * scale)));
  const shown = lines(text, columns).slice(0, rows);
  const bandTop = Math.max(0, height - (shown.length + 1) * GLYPH_HEIGHT * scale);
  for (let at = bandTop * width * 4; at < pixels.length; at += 4) {
    pixels[at] = (pixels[at] ?? 0) >> 2;
    pixels[at + 1] = (pixels[at + 1] ?? 0) >> 2;
    pixels[at + 2] = (pixels[at + 2] ?? 0) >> 2;
  }
  for (const [row, line] of shown.entries()) {
    for (const [column, letter] of [...line].entries()) {
      const x = (column + 1) * GLYPH_WIDTH * scale;
      const y = bandTop + (row * GLYPH_HEIGHT + Math.floor(GLYPH_HEIGHT / 2)) * scale;
      writeLetter({ width, height, pixels }, letter.charCodeAt(0), x, y, scale);
    }
  }
};

const writeLetter = (picture: Picture, code: number, left: number, top: number, scale: number): void => {
  for (let y = 0; y < GLYPH_HEIGHT * scale && top + y < picture.height; y += 1) {
    for (let x = 0; x < GLYPH_WIDTH * scale && left + x < picture.width; x += 1) {
      if (isInk(code, Math.floor(x / scale), Math.floor(y / scale))) {
        picture.pixels.fill(
          255,
          ((top + y) * picture.width + left + x) * 4,
          ((top + y) * picture.width + left + x) * 4 + 3,
        );
      }
    }
  }
};
