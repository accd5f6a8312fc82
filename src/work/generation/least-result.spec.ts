import type { MediaMode } from '#models/providers/media-mode';
import { leastResultOf } from './least-result';

const least = (mode: MediaMode, options: object, clipSeconds?: number) =>
  leastResultOf(mode, { audio: false, ...options }, clipSeconds);

describe('the least that a result must have', () => {
  it.each([
    [4, 3.5],
    [5, 4.5],
    [8, 7.2],
    [10, 9],
  ])('of a film of %d seconds is %d', (seconds, expected) => {
    expect(least('t2v', { seconds }).seconds).toBeCloseTo(expected);
  });

  it('of a film that follows a clip is the length of the clip, if that is shorter', () => {
    expect(least('motion', { seconds: 5 }, 2).seconds).toBe(1.5);
    expect(least('motion', { seconds: 5 }, 9).seconds).toBe(4.5);
    expect(least('motion', { seconds: 5 }).seconds).toBe(4.5);
    expect(least('t2v', { seconds: 5 }, 2).seconds).toBe(4.5);
  });

  it.each<[MediaMode, object, number | undefined]>([
    ['t2i', { imageSize: '1536x1024' }, 1_415_578],
    ['t2i', { imageSize: '1024x1024', resolution: '2K' }, 943_719],
    ['t2i', { resolution: '1K', aspectRatio: '1:1' }, 1_024 ** 2 / 2],
    ['t2i', { resolution: '2K', aspectRatio: '16:9' }, (2_048 * 1_152) / 2],
    ['t2i', { resolution: '2K', aspectRatio: '9:16' }, (2_048 * 1_152) / 2],
    ['t2i', { resolution: '2K' }, (2_048 * 1_152) / 2],
    ['t2i', { resolution: '0.5K', aspectRatio: '1:1' }, 512 ** 2 / 2],
    ['t2v', { resolution: '480p', aspectRatio: '16:9' }, 204_800],
    ['t2v', { resolution: '720p', aspectRatio: '9:16' }, (1_280 * 720) / 2],
    ['t2v', { resolution: '1080p', aspectRatio: '1:1' }, 1_080 ** 2 / 2],
    ['i2v', { resolution: '720p' }, 720 ** 2 / 2],
    ['t2v', { resolution: '4K', aspectRatio: '16:9' }, (3_840 * 2_160) / 2],
    ['t2v', { resolution: '4K' }, (3_840 * 2_160) / 2],
    ['t2i', { resolution: 'fine' }, undefined],
    ['t2i', {}, undefined],
    ['t2v', { seconds: 4 }, undefined],
    ['i2i', { resolution: '2K' }, undefined],
    ['swap', { imageSize: '1024x1024' }, undefined],
    ['motion', { resolution: '720p' }, undefined],
  ])('of %s with %j is %s pixels', (mode, options, pixels) => {
    expect(least(mode, options).pixels).toBe(pixels);
  });

  it.each([
    ['480p', 854 * 480, '720p'],
    ['720p', 1_280 * 720, '1080p'],
    ['1080p', 1_920 * 1_080, '4K'],
  ])('is above a film of %s, whose pixels are %d, for %s', (_, pixels, resolution) => {
    expect(least('t2v', { resolution, aspectRatio: '16:9' }).pixels!).toBeGreaterThan(pixels);
  });
});
