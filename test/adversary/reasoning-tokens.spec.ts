import { KeyCaller } from '../support/caller';
import type { World } from '../support/world';
import { TextVendor, event, openStream, piece } from './text-vendor';

/**
 * xAI counts thoughts beside `completion_tokens`, and its total has all three counts. OpenAI counts them among
 * `completion_tokens`. Both bill them like written text.
 */
describe('thoughts that a vendor counts apart', () => {
  let vendor: TextVendor;
  let world: World;

  beforeAll(async () => {
    vendor = await new TextVendor().start();
    world = await vendor.world();
    await world.listen();
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await vendor.stop();
  });

  it.each<[string, number, number | undefined, number]>([
    ['beside the written tokens', 1_020, 1_000, 1_010],
    ['among the written tokens', 20, 5, 10],
    ['in no total', 20, 1_000, 10],
    ['nowhere, in a total that counts the cache twice', 30, undefined, 10],
  ])('are charged once: %s', async (_name, total, thought, written) => {
    const caller = await KeyCaller.register(world, 5_000_000n);
    vendor.next((response) => {
      openStream(response).write(piece({ role: 'assistant', content: 'Hello.' }, 'stop'));
      response.write(
        event({
          choices: [],
          usage: {
            prompt_tokens: 10,
            completion_tokens: 10,
            total_tokens: total,
            completion_tokens_details: { reasoning_tokens: thought },
          },
        }),
      );
      response.end(event('[DONE]'));
    });
    const { body, headers } = await world.post(
      '/v1/chat/completions',
      { model: 'words', messages: [{ role: 'user', content: 'Hi' }] },
      { 'x-api-key': caller.key },
    );

    expect(body.usage.completion_tokens).toBe(written);
    expect(Number(headers['x-charge-micro'])).toBe(10 * 3 + written * 15);
  });
});
