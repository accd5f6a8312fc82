import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

import { Logger } from '@nestjs/common';

import { OpenaiTextProvider } from '#models/providers/openai/openai-text.provider';
import type { ConversationPiece } from '#models/providers/text-provider';
import { ProviderUnavailable } from '#models/providers/providers.errors';
import { requestOf } from '../support/conversations';
import { FakeOpenai } from '../support/fake-openai';

const soon = (): AbortSignal => AbortSignal.timeout(1_000);

/** The contract of all vendors of texts is in `test/contract/text-vendors.spec.ts`. */
describe('texts from an OpenAI-compatible server', () => {
  let fake: FakeOpenai;
  let provider: OpenaiTextProvider;

  const providerAt = (baseUrl: string, key = fake.key): OpenaiTextProvider =>
    new OpenaiTextProvider('openai', { baseUrl, key, quirks: [] });

  beforeAll(async () => {
    Logger.overrideLogger(false); // This test causes faults, whose log lines would only disturb.
    fake = await FakeOpenai.start();
    provider = providerAt(`${fake.origin}/v1`);
  });

  afterAll(async () => {
    await provider.close();
    await fake.stop();
  });

  const complete = (signal = soon(), from = provider) =>
    from.complete(
      { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], maxTokens: 9, ourId: 'ch_1' },
      signal,
    );

  const converse = async (signal = soon(), from = provider): Promise<ConversationPiece[]> => {
    const body = { messages: [{ role: 'user', content: 'hi' }] };
    const pieces: ConversationPiece[] = [];
    for await (const piece of from.converse(requestOf(body, { model: 'gpt-4o', maxTokens: 9 }), signal)) {
      pieces.push(...piece);
    }
    return pieces;
  };

  it('completes, with the real usage', async () => {
    expect(await complete()).toEqual({
      content: 'Hello there.',
      finishReason: 'stop',
      promptTokens: 19,
      completionTokens: 10,
    });
    expect(fake.completions.at(-1)).toMatchObject({ model: 'gpt-4o', max_tokens: 9 });
    expect(fake.seen.at(-1)?.headers['x-client-request-id']).toBe('ch_1');
  });

  it('streams pieces and the usage at the end', async () => {
    const pieces = await converse();

    expect(pieces).toHaveLength(4);
    expect(pieces.at(-1)).toEqual({ usage: { promptTokens: 9, completionTokens: 1 } });
  });

  it('leaves its connection to the next stream', async () => {
    await converse();
    const before = fake.connections;

    await converse();
    await converse();

    expect(fake.connections).toBe(before);
  });

  it('does not wait for a connection longer than its caller', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    // No byte of the call is sent before the handshake is complete.
    const unanswered = providerAt(`https://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`);
    const started = Date.now();

    const error: unknown = await complete(AbortSignal.timeout(100), unanswered).catch((e: unknown) => e);

    expect(error?.constructor).toBe(ProviderUnavailable);
    expect(Date.now() - started).toBeLessThan(2_000);
    await unanswered.close();
    silent.close();
  });
});
