import type { ConversationRequest } from '../text-provider';
import { ContextTooLong } from '../providers.errors';
import { SandboxTextProvider } from './sandbox-text.provider';

const turn = (role: string, text: string): object => ({ role, parts: [{ kind: 'text', text }] });

/** The number of pieces in the answer to a conversation of these texts of its user. */
const answerTo = (...texts: readonly string[]): Promise<number> =>
  answerToTurns(texts.map((text) => turn('user', text)));

const answerToTurns = async (turns: readonly object[]): Promise<number> => {
  const request = { conversation: { turns, tools: [], options: {} }, maxTokens: 10 };
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

  it('reads the words of its user, even if its program adds some of its own after them', async () => {
    const turns = [turn('user', 'Hi. [[too long]]'), turn('system', 'The tools are: Read, Write.')];
    await expect(answerToTurns(turns)).rejects.toBeInstanceOf(ContextTooLong);
  });

  it('goes on after it was shortened', async () => {
    expect(await answerTo('Hi. [[too long]]', 'Go on.')).toBeGreaterThan(10);
  });
});
