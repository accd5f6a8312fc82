/** The names of colours. Each hue, in degrees, has the first name whose number is not lower. */
const HUES: readonly (readonly [number, string])[] = [
  [15, 'red'],
  [42, 'orange'],
  [68, 'yellow'],
  [165, 'green'],
  [195, 'cyan'],
  [255, 'blue'],
  [290, 'purple'],
  [340, 'pink'],
  [360, 'red'],
];
/** Backgrounds are mostly grey, white or black, and carry little information. */
const COLOURLESS_WEIGHT = 0.25;
const SHARE_MIN = 0.04;

const nameOf = (red: number, green: number, blue: number): string => {
  const max = Math.max(red, green, blue);
  const spread = max - Math.min(red, green, blue);
  if (max < 40) return 'black';
  if (spread < 30 || spread / max < 0.2) return max > 215 ? 'white' : max < 70 ? 'black' : 'gray';
  const turn =
    max === red
      ? (green - blue) / spread
      : max === green
        ? 2 + (blue - red) / spread
        : 4 + (red - green) / spread;
  const hue = (turn * 60 + 360) % 360;
  const name = HUES.find(([to]) => hue <= to)?.[1] ?? 'red';
  return (name === 'orange' || name === 'red') && max < 150 && spread / max < 0.75 ? 'brown' : name;
};

/** The common names of a picture's colours, each with its weight. `pixels` has three bytes for each pixel. */
export const wordsOfPixels = (pixels: Buffer): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (let at = 0; at + 2 < pixels.length; at += 3) {
    const name = nameOf(pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const all = pixels.length / 3;
  const colourless = ['white', 'black', 'gray'];
  return new Map(
    [...counts]
      .filter(([, count]) => count / all >= SHARE_MIN)
      .map(([name, count]) => [
        name,
        Math.sqrt(count / all) * (colourless.includes(name) ? COLOURLESS_WEIGHT : 1),
      ]),
  );
};
