import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

import { Logger } from '@nestjs/common';

import { OpenaiTextProvider } from '../../src/providers/openai/openai-text.provider';
import type { ConversationPiece } from '../../src/providers/text-provider';
import { AnswerLost, ProviderFailed, ProviderUnavailable } from '../../src/providers/providers.errors';
import { FakeOpenai } from '../support/fake-openai';
import type { ProviderFaultName } from '../support/fake-provider';
import { expectEventually } from '../support/eventually';
import { refusedOrigin } from '../support/closed-port';

const soon = (): AbortSignal => AbortSignal.timeout(1_000);

describe('texts from an OpenAI-compatible server', () => {
  let fake: FakeOpenai;
  let provider: OpenaiTextProvider;

  const providerAt = (baseUrl: string, key = fake.key): OpenaiTextProvider =>
    new OpenaiTextProvider('openai', { baseUrl, key, quirks: [] });

  beforeAll(async () => {
    Logger.overrideLogger(false); // Faults are logged, and here they are the point.
    fake = await FakeOpenai.start();
    provider = providerAt(`${fake.origin}/v1`);
  });

  afterEach(() => {
    fake.forgiveAll();
    fake.streamEndsAfter = undefined;
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
    for await (const piece of from.converse({ model: 'gpt-4o', maxTokens: 9, ourId: 'ch_1', body }, signal)) {
      pieces.push(...piece);
    }
    return pieces;
  };

  it('completes, with the real usage', async () => {
    expect(await complete()).toEqual({ content: 'Hello there.', promptTokens: 19, completionTokens: 10 });
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

  it.each<[ProviderFaultName, new () => Error]>([
    [400, ProviderFailed],
    [422, ProviderFailed],
    [429, ProviderUnavailable],
    [401, ProviderUnavailable],
    [404, ProviderUnavailable],
    [500, AnswerLost],
    [503, AnswerLost],
    ['hang', AnswerLost],
    ['reset', AnswerLost],
    ['garbage', AnswerLost],
    ['drop reply', AnswerLost],
  ])('after %s knows whether another route may be asked', async (fault, type) => {
    fake.failNext('chat', fault, fault);

    const error: unknown = await complete(AbortSignal.timeout(300)).catch((thrown: unknown) => thrown);
    const streamed: unknown = await converse(AbortSignal.timeout(300)).catch((thrown: unknown) => thrown);

    expect([error?.constructor, streamed?.constructor]).toEqual([type, type]);
    expect(JSON.stringify([error, (error as Error).message])).not.toContain('vendor');
  });

  it('knows that nobody was reached', async () => {
    for (const protocol of ['http', 'https']) {
      const nowhere = providerAt(`${await refusedOrigin(protocol)}/v1`);

      const error: unknown = await complete(soon(), nowhere).catch((thrown: unknown) => thrown);
      const streamed: unknown = await converse(soon(), nowhere).catch((thrown: unknown) => thrown);

      expect([error?.constructor, streamed?.constructor]).toEqual([ProviderUnavailable, ProviderUnavailable]);
      await nowhere.close();
    }
  });

  it('does not wait for a connection longer than its caller', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    // Nothing of the call leaves before the handshake is done.
    const unanswered = providerAt(`https://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`);
    const started = Date.now();

    const error: unknown = await complete(AbortSignal.timeout(100), unanswered).catch((e: unknown) => e);

    expect(error?.constructor).toBe(ProviderUnavailable);
    expect(Date.now() - started).toBeLessThan(2_000);
    await unanswered.close();
    silent.close();
  });

  it('takes a stream that breaks off for a failure', async () => {
    fake.streamEndsAfter = 2;

    await expect(converse()).rejects.toBeInstanceOf(AnswerLost);
  });

  it('stops the work upstream when nobody reads any more', async () => {
    fake.streamEndsAfter = Infinity;
    const stream = provider.converse(
      { model: 'gpt-4o', maxTokens: 9, ourId: 'ch_1', body: { messages: [] } },
      soon(),
    );
    for await (const piece of stream) {
      expect(piece).toBeDefined();
      break;
    }

    await expectEventually(() => fake.hungUp === 1);
  });
});
