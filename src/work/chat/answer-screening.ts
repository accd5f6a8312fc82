import { Injectable } from '@nestjs/common';

import { ContentPolicy, type ForAdults } from '#models/providers/policy/content-policy';
import { screenInSlices } from '#models/providers/policy/screening-slices';
import type { ConversationPiece } from '#models/providers/text-provider';
import type { ToolCall } from './compatible/answered-tool-call';
import { wordsIn } from '#models/conversation/passages';
import { ResultBlocked } from '#models/providers/policy/policy.errors';

type Batch = readonly ConversationPiece[];

/**
 * The service holds pieces back until they contain this much text, because each check of a remote screener takes time.
 */
const CHARS_MIN = 400;
/** The end of the screened text is screened again with the next text, because a sentence may continue. */
const CONTEXT_CHARS = 512;

/** Screens a model's answer before the caller gets it, if `POLICY_RESULTS` is set. */
@Injectable()
export class AnswerScreening {
  constructor(private readonly policy: ContentPolicy) {}

  get isOn(): boolean {
    return this.policy.screensResults;
  }

  async requireAllowed(model: ForAdults, text: string): Promise<void> {
    const { verdict } = await screenInSlices(this.policy.of(model), text);
    if (!verdict.allowed) throw new ResultBlocked(verdict.category);
  }

  /** Yields each piece once its text is screened. Throws before the first piece that is not allowed. */
  async *allowed(
    model: ForAdults,
    first: IteratorResult<Batch>,
    pieces: AsyncIterator<Batch>,
  ): AsyncGenerator<Batch> {
    let held: ConversationPiece[] = [];
    let context = '';
    let text = '';
    const screen = async (): Promise<void> => {
      if (text === '') return;
      await this.requireAllowed(model, context + text);
      context = (context + text).slice(-CONTEXT_CHARS);
      text = '';
    };
    try {
      for (let next = first; next.done !== true; next = await pieces.next()) {
        held.push(...next.value);
        text += textOf(next.value);
        if (text.length < CHARS_MIN) continue;
        await screen();
        yield held;
        held = [];
      }
      await screen();
      if (held.length > 0) yield held;
    } finally {
      await pieces.return?.(); // If the reader stops early, the provider must stop the work, too.
    }
  }
}

const textOf = (pieces: Batch): string =>
  pieces.flatMap((piece) => ('usage' in piece ? [] : Object.values(piece.delta).flatMap(textsOf))).join('');

/** A text, or the names and the arguments of tool calls. */
const textsOf = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return Array.isArray(value)
    ? (value as readonly ToolCall[]).flatMap(({ function: called }) => wordsIn(Object.values(called ?? {})))
    : wordsIn(value);
};
