import { Injectable } from '@nestjs/common';

import type { PaidCall } from '../billing/calls/paid-call';
import { Preparer } from '../billing/calls/preparer';
import { ContentPolicy, PolicyBlocked } from '../providers/content-policy';
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

  async prepare({ body }: PaidCall<ChatBody>, local: boolean): Promise<undefined> {
    if (local && this.policy.remote) {
      return undefined;
    }
    const verdict = await this.policy.screenText(body.messages.map(({ content }) => content).join('\n'));
    if (!verdict.allowed) throw new PolicyBlocked('messages', verdict.category);
    return undefined;
  }
}
