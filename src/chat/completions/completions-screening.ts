import { hash } from 'node:crypto';

import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import { type MaybePromise, whenReady } from '../../kernel/maybe-promise';
import { ContentPolicy, PolicyBlocked, type PolicyVerdict } from '../../providers/content-policy';
import { screenInSlices } from '../../providers/policy/screening-slices';
import type { ConversationRequest } from '../../providers/text-provider';
import type { FieldNames } from './forwarded';

const VERDICTS_MAX = 20_000;

interface GasTerms {
  /** The field that contains it. */
  readonly param: string;
  readonly text: string;
}

/** All the words that the model will read, by the field that they stand in. */
const passagesOf = (sent: ConversationRequest['body']): readonly GasTerms[] => {
  const passages: GasTerms[] = [];
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

/** Texts and the names of fields: a model reads those of a schema as well. */
const wordsIn = (value: unknown): readonly string[] => {
  const texts: string[] = [];
  const names: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') texts.push(next);
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, each] of Object.entries(next)) {
      if (!Array.isArray(next) && !KNOWN.has(name)) names.push(name);
      open.push(each);
    }
  }
  return [...texts.reverse(), ...names];
};

/** Names of our own wire format, which say nothing. */
const KNOWN: ReadonlySet<string> = new Set([
  'role',
  'content',
  'type',
  'text',
  'image_url',
  'url',
  'detail',
  'tool_calls',
  'tool_call_id',
  'id',
  'function',
  'name',
  'arguments',
  'description',
  'parameters',
  'properties',
  'required',
  'items',
  'reasoning_content',
]);

/**
 * Screens a conversation, a slice at a time. It keeps the hash of each screened text, so a
 * history that grows by a message is not screened again.
 */
@Injectable()
export class CompletionsScreening {
  private readonly verdicts = new LRUCache<string, PolicyVerdict>({ max: VERDICTS_MAX });

  constructor(private readonly policy: ContentPolicy) {}

  /** Whether it asks somebody outside. */
  get isDear(): boolean {
    return this.policy.remote;
  }

  async screen(sent: ConversationRequest['body'], nameOf: FieldNames, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    for (const { param, text } of passagesOf(sent)) {
      const asked = this.verdictOn(text, signal);
      const verdict = asked instanceof Promise ? await asked : asked;
      if (!verdict.allowed) throw new PolicyBlocked(nameOf(param), verdict.category);
    }
  }

  private verdictOn(text: string, signal: AbortSignal): MaybePromise<PolicyVerdict> {
    const key = hash('sha256', text, 'base64');
    return (
      this.verdicts.get(key) ??
      whenReady(screenInSlices(this.policy, text, signal), ({ verdict }) => {
        this.verdicts.set(key, verdict);
        return verdict;
      })
    );
  }
}
