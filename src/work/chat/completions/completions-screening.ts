import { hash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';

import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import type { Conversation } from '#models/conversation/conversation';
import { passagesOf } from '#models/conversation/passages';
import { ContentPolicy, type ForAdults, type PolicyVerdict } from '#models/providers/policy/content-policy';
import { screenInSlices } from '#models/providers/policy/screening-slices';
import { PolicyBlocked } from '#models/providers/policy/policy.errors';

const VERDICTS_MAX = 20_000;

/** A body may have tens of thousands of turns. After this many characters, the process serves other callers. */
const CHARS_AT_ONCE = 256 * 1024;

/**
 * Screens a conversation in slices, and keeps the verdict on each text by its hash. So the earlier messages of a
 * growing conversation are not screened again.
 */
@Injectable()
export class CompletionsScreening {
  private readonly verdicts = new LRUCache<string, PolicyVerdict>({ max: VERDICTS_MAX });

  constructor(private readonly policy: ContentPolicy) {}

  /** Whether the screening calls a remote screener. */
  get isCostly(): boolean {
    return this.policy.remote;
  }

  async screen(model: ForAdults, conversation: Conversation, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const policy = this.policy.of(model);
    let chars = 0;
    for (const { at, text } of passagesOf(conversation)) {
      if (text === '') continue;
      chars += text.length;
      if (chars > CHARS_AT_ONCE) {
        await breathe();
        signal.throwIfAborted();
        chars = text.length;
      }
      const verdict = await this.verdictOn(policy, text, signal);
      if (!verdict.allowed) throw new PolicyBlocked(at, verdict.category);
    }
  }

  private async verdictOn(policy: ContentPolicy, text: string, signal: AbortSignal): Promise<PolicyVerdict> {
    const audience = policy === this.policy ? '' : 'adults ';
    const key = audience + hash('sha256', text, 'base64');
    const known = this.verdicts.get(key);
    if (known !== undefined) return known;
    const { verdict } = await screenInSlices(policy, text, signal);
    this.verdicts.set(key, verdict);
    return verdict;
  }
}
