import sharp from 'sharp';

import { LocalEmbedder } from './local-embedder';

type Paint = readonly [left: number, top: number, width: number, height: number, colour: string];

/** A drawing of rectangles on a background. */
const drawing = (background: string, ...shapes: readonly Paint[]): Promise<Buffer> => {
  const rectangle = (width: number, height: number, colour: string) => ({
    create: { width, height, channels: 3 as const, background: colour },
  });
  return sharp(rectangle(96, 96, background))
    .composite(
      shapes.map(([left, top, width, height, colour]) => ({
        input: rectangle(width, height, colour),
        left,
        top,
      })),
    )
    .png()
    .toBuffer();
};

const redCar = (): Promise<Buffer> =>
  drawing(
    '#dddddd',
    [10, 45, 76, 22, '#c81e1e'],
    [28, 30, 38, 16, '#e03030'],
    [20, 64, 12, 12, '#111'],
    [62, 64, 12, 12, '#111'],
  );
const blueHouse = (): Promise<Buffer> =>
  drawing('#eeeeee', [20, 40, 56, 46, '#1e46c8'], [16, 26, 64, 16, '#16307f'], [42, 60, 12, 26, '#222']);
const greenTree = (): Promise<Buffer> =>
  drawing('#f4f4f4', [26, 10, 44, 50, '#1f9d3a'], [44, 58, 8, 30, '#7a4a1e']);

describe('the local embedder', () => {
  const embedder = new LocalEmbedder();
  const dot = (a: Float32Array, b: Float32Array): number =>
    a.reduce((sum, value, at) => sum + value * b[at]!, 0);
  const nearness = async (text: string, image: Buffer | undefined, label?: string): Promise<number> => {
    const media = await embedder.embedMedia({
      kind: image === undefined ? 'video' : 'image',
      owner: 'acc_test',
      label,
      read: () => Promise.resolve(image ?? Buffer.alloc(0)),
    });
    return media === undefined ? 0 : dot(await embedder.embedText(text), media);
  };

  it('finds a red car nearer to "red car" than a blue house is, by what is seen alone', async () => {
    const [car, house, tree] = [await redCar(), await blueHouse(), await greenTree()];

    expect(await nearness('red car', car)).toBeGreaterThan(await nearness('red car', house));
    expect(await nearness('blue house', house)).toBeGreaterThan(await nearness('blue house', car));
    expect(await nearness('a green tree', tree)).toBeGreaterThan(await nearness('a green tree', house));
    expect(await nearness('red car', car)).toBeGreaterThan(embedder.floor);
    expect(await nearness('red car', house)).toBeLessThan(embedder.floor);
  });

  it('believes labels more than colours', async () => {
    const [car, house] = [await redCar(), await blueHouse()];

    expect(await nearness('red car', car, 'A red car')).toBeGreaterThan(0.7);
    expect(await nearness('car', car, 'Our car')).toBeGreaterThan(await nearness('car', house, 'Our house'));
    expect(await nearness('our house at night', car, 'Our house')).toBeGreaterThan(embedder.floor);
    expect(await nearness('cars', undefined, 'A car in the rain')).toBeGreaterThan(
      await nearness('cars', undefined, 'A house in the rain'),
    );
  });

  it('finds a reference by a long prompt that speaks of it', async () => {
    const prompt =
      'A cinematic wide shot of a red car driving along a coastal road at sunset, golden light, film grain';

    expect(await nearness(prompt, await redCar(), 'red car')).toBeGreaterThan(embedder.floor);
    expect(await nearness(prompt, await blueHouse(), 'blue house')).toBeLessThan(embedder.floor);
  });

  it('has nothing to say of a video without a label, and of a text without words', async () => {
    expect(
      await embedder.embedMedia({
        kind: 'video',
        owner: 'acc_test',
        read: () => Promise.reject(new Error('not read')),
      }),
    ).toBeUndefined();
    expect(dot(await embedder.embedText('…!'), await embedder.embedText('red'))).toBe(0);
  });

  it('makes the same vector each time, of length 1', async () => {
    const [one, other] = [
      await embedder.embedText('Ein rotes Auto, été'),
      await embedder.embedText('ein ROTES auto ete'),
    ];

    expect(one).toEqual(other);
    expect(dot(one, one)).toBeCloseTo(1, 5);
  });
});
