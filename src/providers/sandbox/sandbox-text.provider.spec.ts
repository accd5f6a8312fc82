import type { ConversationRequest } from '../text-provider';
import { ContextTooLong } from '../providers.errors';
import { SandboxTextProvider } from './sandbox-text.provider';

/** The answer to a conversation of these texts of its user. */
const answerTo = async (...texts: readonly string[]): Promise<number> => {
  const turns = texts.map((text) => ({ role: 'user', parts: [{ kind: 'text', text }] }));
  const request = { conversation: { turns, tools: [], wishes: {} }, maxTokens: 10 };
  let pieces = 0;
  for await (const sent of new SandboxTextProvider().converse(
    request as unknown as ConversationRequest,
    new AbortController().signal,
  ))
    pieces += sent.length;
  return pieces;
};

describe('a conversation with the sandbox', () => {
  it('is too long if its last turn says so, so that a program can test how it shortens it', async () => {
    await expect(answerTo('Hi.', 'Go on. [[too long]]')).rejects.toBeInstanceOf(ContextTooLong);
  });

  it('goes on after it was shortened', async () => {
    expect(await answerTo('Hi. [[too long]]', 'Go on.')).toBeGreaterThan(10);
  });
});
