import { Injectable } from '@nestjs/common';

import { type PreparedCall, Preparer } from '#money/billing/calls/preparer';
import { ContentPolicy } from '#models/providers/policy/content-policy';
import { PolicyBlocked } from '#models/providers/policy/policy.errors';
import type { SpeechBody } from './speech.dto';

/** Screens the text before any money is held. */
@Injectable()
export class SpeechScreening extends Preparer<SpeechBody, undefined> {
  constructor(private readonly policy: ContentPolicy) {
    super();
  }

  override isCostly(): boolean {
    return this.policy.remote;
  }

  async prepare({ body, priced }: PreparedCall<SpeechBody>, local: boolean): Promise<undefined> {
    if (local && this.policy.remote) return undefined;
    const verdict = await this.policy.of(priced).screenText(body.input);
    if (!verdict.allowed) throw new PolicyBlocked('input', verdict.category);
    return undefined;
  }
}
