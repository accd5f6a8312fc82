import { createHash } from 'node:crypto';

import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import { likelyTokens } from './likely-tokens';

/** Shorter texts are estimated fast enough, and their holds are small. */
const CHARS_MIN = 16_000;
const CONVERSATIONS_MAX = 10_000;

/** A prompt in the form in which it is counted, without its text. */
export interface SentPrompt {
  readonly modelId: string;
  readonly chars: number;
  /** The beginning, which all turns of a conversation share. */
  readonly beginning: string;
  /** The images, which are not in the text. */
  readonly images: number;
}

interface Counted {
  readonly chars: number;
  readonly images: number;
  readonly tokens: number;
}

const keyOf = ({ modelId, beginning }: SentPrompt): string =>
  createHash('sha256').update(`${modelId}\n`).update(beginning).digest('base64url');

/**
 * The vendors' counts of the last turns. The next turn of a conversation has the same text and some more, so its count
 * is close. Each process knows its own.
 */
@Injectable()
export class CountedPrompts {
  private readonly known = new LRUCache<string, Counted>({ max: CONVERSATIONS_MAX });

  /** The likely tokens of a prompt, with at most so many for an image. */
  likely(prompt: SentPrompt, text: string, imageTokens: number): number {
    const { chars, images } = prompt;
    const last = chars < CHARS_MIN ? undefined : this.known.get(keyOf(prompt));
    if (last === undefined) return likelyTokens(text) + images * imageTokens;
    const newImages = Math.max(0, images - last.images) * imageTokens;
    // A conversation may also have become shorter, because its program has summarised it.
    return chars < last.chars
      ? Math.ceil((last.tokens * chars) / last.chars) + newImages
      : last.tokens + likelyTokens(text.slice(last.chars)) + newImages;
  }

  /** Remembers the vendor's count of a prompt. */
  learn(prompt: SentPrompt, tokens: number): void {
    const { chars, images } = prompt;
    if (chars >= CHARS_MIN) this.known.set(keyOf(prompt), { chars, images, tokens });
  }
}
