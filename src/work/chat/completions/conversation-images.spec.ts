import type { FastifyRequest } from 'fastify';

import type { MediaIntake } from '#platform/media/media-intake';
import type { ContentPolicy } from '#models/providers/policy/content-policy';
import { readCompletion } from '#models/conversation/completions-body';
import type { ImageCopies } from '#models/conversation/sent-body';
import { ConversationImages } from './conversation-images';

// A fake clock does not control Node's promise timers.
jest.mock('node:timers/promises', () => ({
  setTimeout: (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
}));

const MB = 1024 * 1024;

/** Takes in this many images, each by the given function. */
const taking = (images: number, read: () => Promise<Buffer>, taken: string[] = []): Promise<ImageCopies> => {
  const intake = {
    take: (_request: unknown, source: string) => {
      taken.push(source);
      return Promise.resolve({ mime: 'image/png', read, discard: () => Promise.resolve() });
    },
  };
  const policy = { of: () => policy, screenImage: () => Promise.resolve({ allowed: true }) };
  const content = Array.from({ length: images }, (_, part) => ({
    type: 'image_url',
    image_url: { url: `https://example.com/${part}.png` },
  }));
  const conversation = readCompletion({ messages: [{ role: 'user', content }] });
  return new ConversationImages(intake as unknown as MediaIntake, policy as unknown as ContentPolicy).take(
    { request: {} as FastifyRequest, owner: 'acc_1', model: {} },
    conversation,
    new AbortController().signal,
  );
};

describe('the images of a conversation', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('are 32 MB together and no byte more', async () => {
    const copies = await taking(4, () => Promise.resolve(Buffer.alloc(8 * MB)));

    expect(copies.get('messages[0].content[3]')?.data).toHaveLength(Math.ceil((8 * MB) / 3) * 4);
    await expect(taking(5, () => Promise.resolve(Buffer.alloc(6.4 * MB + 1)))).rejects.toMatchObject({
      kind: 'invalid_request',
      message: expect.stringContaining('32 MB'),
    });
  });

  it('have 15 seconds together, and later ones do not begin', async () => {
    const taken: string[] = [];
    const slow = (): Promise<Buffer> =>
      new Promise((resolve) => setTimeout(() => resolve(Buffer.alloc(1)), 6_000));
    let refusal: unknown;
    void taking(16, slow, taken).catch((error: unknown) => (refusal = error));

    await jest.advanceTimersByTimeAsync(14_999);
    const before = refusal;
    await jest.advanceTimersByTimeAsync(1);
    const begun = taken.length;
    await jest.advanceTimersByTimeAsync(60_000);

    expect(before).toBeUndefined();
    expect(refusal).toMatchObject({
      code: 'MEDIA_UNREACHABLE',
      message: expect.stringContaining('15 seconds'),
    });
    expect([begun, taken.length]).toEqual([12, 12]);
  });
});
