import { hash } from 'node:crypto';

import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import { type MaybePromise, whenReady } from '../../kernel/maybe-promise';
import {
  ContentPolicy,
  type ForAdults,
  PolicyBlocked,
  type PolicyVerdict,
} from '../../providers/content-policy';
import { screenInSlices } from '../../providers/policy/screening-slices';
import type { ConversationRequest } from '../../providers/text-provider';
import type { FieldNames } from './forwarded';
import { wordsIn } from './words-in';

const VERDICTS_MAX = 20_000;

interface Passage {
  /** The field with the text. */
  readonly param: string;
  readonly text: string;
}

/** All text that the model reads, by field. */
const passagesOf = (sent: ConversationRequest['body']): readonly Passage[] => {
  const passages: Passage[] = [];
  const add = (param: string, value: unknown): void => {
    const text = wordsIn(value).join('\n');
    if (text !== '') passages.push({ param, text });
  };
  for (const [param, value] of Object.entries(sent)) {
    if (Array.isArray(value)) value.forEach((each: unknown, at) => add(`${param}[${at}]`, each));
    else add(param, value);
  }
  return passages;
};

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

  async screen(
    model: ForAdults,
    sent: ConversationRequest['body'],
    nameOf: FieldNames,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const policy = this.policy.of(model);
    for (const { param, text } of passagesOf(sent)) {
      const asked = this.verdictOn(policy, text, signal);
      const verdict = asked instanceof Promise ? await asked : asked;
      if (!verdict.allowed) throw new PolicyBlocked(nameOf(param), verdict.category);
    }
  }

  private verdictOn(policy: ContentPolicy, text: string, signal: AbortSignal): MaybePromise<PolicyVerdict> {
    const audience = policy === this.policy ? '' : 'adults ';
    const key = audience + hash('sha256', text, 'base64');
    return (
      this.verdicts.get(key) ??
      whenReady(screenInSlices(policy, text, signal), ({ verdict }) => {
        this.verdicts.set(key, verdict);
        return verdict;
      })
    );
  }
}
