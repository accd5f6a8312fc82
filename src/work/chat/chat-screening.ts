import { Injectable } from '@nestjs/common';

import { type PreparedCall, Preparer } from '#money/billing/calls/preparer';
import { ContentPolicy } from '#models/providers/policy/content-policy';
import { isLongText, screenInSlices } from '#models/providers/policy/screening-slices';
import { PolicyBlocked } from '#models/providers/policy/policy.errors';
import type { ChatBody } from './chat.dto';

/** Screens the text of a conversation before any money is held. */
@Injectable()
export class ChatScreening extends Preparer<ChatBody, undefined> {
  constructor(private readonly policy: ContentPolicy) {
    super();
  }

  override isCostly({ body }: PreparedCall<ChatBody>): boolean {
    return (
      this.policy.remote ||
      isLongText(body.messages.reduce((chars, { content }) => chars + content.length, 0))
    );
  }

  async prepare({ body, priced }: PreparedCall<ChatBody>, local: boolean): Promise<undefined> {
    if (local && this.policy.remote) return;
    const policy = this.policy.of(priced);
    const texts = body.messages.map(({ content }) => content);
    // All messages are screened as one text, because one message can continue another.
    const whole = texts.join('\n');
    const { verdict, from, to } = await screenInSlices(policy, whole);
    if (verdict.allowed) return;
    throw new PolicyBlocked(await this.blockedIn(policy, texts, whole.slice(0, to), from), verdict.category);
  }

  /** The first message that makes the text blocked, by binary search, because each check may be a remote call. */
  private async blockedIn(
    policy: ContentPolicy,
    texts: readonly string[],
    blocked: string,
    from: number,
  ): Promise<string> {
    let end = -1;
    const ends = texts.map(({ length }) => (end += length + 1));
    const isWithin = ends.findIndex((end) => end >= blocked.length);
    let first = ends.findIndex((end) => end > from);
    let last = isWithin < 0 ? texts.length - 1 : isWithin;
    try {
      while (first < last) {
        const middle = Math.floor((first + last) / 2);
        const { allowed } = await policy.screenText(blocked.slice(from, ends[middle]));
        if (allowed) first = middle + 1;
        else last = middle;
      }
    } catch {
      return 'messages'; // The verdict counts even if a further check fails.
    }
    return `messages[${last}]`;
  }
}
