import { Logger } from '@nestjs/common';

import { textOf } from '../../src/providers/http/answer-status';
import { AnswerLost, ProviderFailed, ProviderUnavailable } from '../../src/providers/providers.errors';
import type { ConversationPiece, TextProvider } from '../../src/providers/text-provider';
import { vendorOf } from '../../src/providers/vendors';
import { readSettings } from '../../src/settings';
import { refusedOrigin } from '../support/closed-port';
import { expectEventually } from '../support/eventually';
import { type ProviderFaultName, VENDOR_WORDS } from '../support/fake-provider';
import { type FakeTextVendor, TEXT_VENDORS } from './text-vendors';

const soon = (ms = 1_000): AbortSignal => AbortSignal.timeout(ms);
const HI = [{ role: 'user', content: 'hi' }] as const;

/** What is true of each vendor of texts. */
export const holdTextVendorToContract = (name: string): void => {
  const vendor = TEXT_VENDORS[name];
  if (vendor === undefined)
    throw new Error(`The vendor ${name} makes texts: give it an entry in test/contract/text-vendors.ts.`);
  let fake: FakeTextVendor;
  let provider: TextProvider;
  let logged: { readonly level: string; readonly text: string }[];

  const providerAt = (baseUrl: string): TextProvider => {
    const { providers } = readSettings({ ...vendor.variables(baseUrl), ALLOW_SANDBOX_MIX: 'true' });
    const own = providers.find((each) => each.name === vendor.provider)!;
    // Its adapter for media may want a part; none is used here.
    return vendorOf(own).adapters(own, () => undefined as never).text!;
  };

  const complete = (signal = soon(), from = provider) =>
    from.complete({ model: vendor.model, messages: [...HI], maxTokens: 9, ourId: 'ch_1' }, signal);

  const converse = async (signal = soon(), from = provider): Promise<ConversationPiece[]> => {
    const request = { model: vendor.model, maxTokens: 9, ourId: 'ch_1', body: { messages: [...HI] } };
    const pieces: ConversationPiece[] = [];
    for await (const piece of from.converse(request, signal)) pieces.push(...piece);
    return pieces;
  };

  /** What becomes of both kinds of calls. */
  const failures = async (fault: ProviderFaultName): Promise<unknown[]> => {
    fake.failNext('chat', fault, fault);
    const thrown = (error: unknown): unknown => error;
    return [await complete(soon(300)).catch(thrown), await converse(soon(300)).catch(thrown)];
  };
  const kindsOf = (errors: readonly unknown[]) => errors.map((error) => error?.constructor);

  beforeAll(async () => {
    const line =
      (level: string) =>
      (...words: unknown[]): void => {
        const said = words.map((word) => JSON.stringify(word, ['err', 'message', 'status']) ?? String(word));
        logged.push({ level, text: said.join(' ') });
      };
    logged = [];
    Logger.overrideLogger({ log: line('log'), warn: line('warn'), error: line('error') });
    fake = await vendor.start();
    provider = providerAt(fake.origin);
  });

  afterEach(() => {
    fake.forgiveAll();
    fake.streamEndsAfter = undefined;
    logged = [];
  });

  afterAll(async () => {
    await provider.close();
    await fake.stop();
  });

  it('completes a text, with what it has counted', async () => {
    const { content, promptTokens, completionTokens } = await complete();

    expect(content).not.toBe('');
    expect([promptTokens > 0, completionTokens > 0]).toEqual([true, true]);
  });

  it('streams pieces, says how it ended, and counts once at the end', async () => {
    const pieces = await converse();
    const usage = pieces.at(-1)!;

    expect(usage).toEqual({
      usage: expect.objectContaining({
        promptTokens: expect.any(Number),
        completionTokens: expect.any(Number),
      }),
    });
    const deltas = pieces.slice(0, -1).map((piece) => ('delta' in piece ? piece : undefined));
    expect(deltas).not.toContain(undefined);
    expect(deltas.map((piece) => textOf(piece?.delta['content']) ?? '').join('')).not.toBe('');
    expect(deltas.filter((piece) => piece?.finishReason !== undefined)).toHaveLength(1);
  });

  it.each<[ProviderFaultName, new () => Error]>([
    [400, ProviderFailed],
    [422, ProviderFailed],
    [401, ProviderUnavailable],
    [404, ProviderUnavailable],
    [429, ProviderUnavailable],
    [529, ProviderUnavailable],
    [500, AnswerLost],
    [503, AnswerLost],
    ['hang', AnswerLost],
    ['reset', AnswerLost],
    ['garbage', AnswerLost],
    ['drop reply', AnswerLost],
  ])('after %j knows whether another route may be asked, and quotes nobody', async (fault, type) => {
    const errors = await failures(fault);

    expect(kindsOf(errors)).toEqual([type, type]);
    const said = JSON.stringify([errors, errors.map((error) => (error as Error).message), logged]);
    expect(said).not.toContain(VENDOR_WORDS);
  });

  it('leaves an empty account of ours to the next route, and tells the operator', async () => {
    const errors = await failures({ says: vendor.emptyAccount });

    expect(kindsOf(errors)).toEqual([ProviderUnavailable, ProviderUnavailable]);
    expect(logged.length).toBeGreaterThan(0);
    for (const { level } of logged) expect(['warn', 'error']).toContain(level);
  });

  it('knows that nobody was reached', async () => {
    for (const protocol of ['http', 'https']) {
      const nowhere = providerAt(await refusedOrigin(protocol));
      const errors = [
        await complete(soon(), nowhere).catch((error: unknown) => error),
        await converse(soon(), nowhere).catch((error: unknown) => error),
      ];

      expect(kindsOf(errors)).toEqual([ProviderUnavailable, ProviderUnavailable]);
      await nowhere.close();
    }
  });

  it('takes a stream that breaks off for a failure', async () => {
    fake.streamEndsAfter = 2;

    await expect(converse()).rejects.toBeInstanceOf(AnswerLost);
  });

  it('stops the work upstream when nobody reads any more', async () => {
    fake.streamEndsAfter = Infinity;
    const before = fake.hungUp;
    const request = { model: vendor.model, maxTokens: 9, ourId: 'ch_1', body: { messages: [] } };
    for await (const piece of provider.converse(request, soon())) {
      expect(piece).toBeDefined();
      break;
    }

    await expectEventually(() => fake.hungUp === before + 1);
  });
};
