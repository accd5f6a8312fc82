import { Injectable } from '@nestjs/common';

import { type PreparedCall, Preparer } from '../billing/calls/preparer';
import { type Soon, soon } from '../kernel/soon';
import { ContentPolicy, PolicyBlocked, type PolicyVerdict } from '../providers/content-policy';
import type { ChatBody } from './chat.dto';

/** Screens the words of a conversation before any money is held. */
@Injectable()
export class ChatScreening extends Preparer<ChatBody, undefined> {
  constructor(private readonly policy: ContentPolicy) {
    super();
  }

  override isDear(): boolean {
    return this.policy.remote;
  }

  prepare({ body }: PreparedCall<ChatBody>, local: boolean): Soon<undefined> {
    if (local && this.policy.remote) {
      return undefined;
    }
    const texts = body.messages.map(({ content }) => content);
    return soon(this.verdictOn(texts), (verdict) =>
      verdict.allowed ? undefined : this.refuse(texts, verdict.category),
    );
  }

  private async refuse(texts: readonly string[], category: string): Promise<never> {
    throw new PolicyBlocked(await this.blockedIn(texts), category);
  }

  /** As a whole, because a message can finish what another began. */
  private verdictOn(texts: readonly string[]): Soon<PolicyVerdict> {
    return this.policy.screenText(texts.join('\n'));
  }

  /** The message up to which the conversation is not allowed, found in few questions: they may go to somebody outside. */
  private async blockedIn(texts: readonly string[]): Promise<string> {
    let [first, last] = [0, texts.length - 1];
    try {
      while (first < last) {
        const middle = Math.floor((first + last) / 2);
        const { allowed } = await this.verdictOn(texts.slice(0, middle + 1));
        if (allowed) first = middle + 1;
        else last = middle;
      }
    } catch {
      return 'messages'; // The verdict stands, whoever can't be asked any more.
    }
    return `messages[${last}]`;
  }
}
