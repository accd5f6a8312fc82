import { Injectable } from '@nestjs/common';

import type { PaidBody } from '#money/billing/calls/paid-body';
import { type PreparedCall, Preparer } from '#money/billing/calls/preparer';
import { ContentPolicy } from '#models/providers/policy/content-policy';
import { PolicyBlocked } from '#models/providers/policy/policy.errors';

interface Prompted extends PaidBody {
  readonly prompt: string;
}

/** Screens the prompt of a call without source media. */
@Injectable()
export class PromptScreening extends Preparer<Prompted, Record<string, never>> {
  constructor(private readonly policy: ContentPolicy) {
    super();
  }

  override isCostly(): boolean {
    return this.policy.remote;
  }

  async prepare({ body, priced }: PreparedCall<Prompted>, local: boolean): Promise<Record<string, never>> {
    if (!local || !this.policy.remote) {
      const verdict = await this.policy.of(priced).screenText(body.prompt);
      if (!verdict.allowed) throw new PolicyBlocked('prompt', verdict.category);
    }
    return {};
  }
}
