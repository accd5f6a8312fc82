import { Injectable } from '@nestjs/common';

import { uncountCall } from '#platform/http/limits/address-limits';
import { Rails } from '../rails/rails';
import { ArrivedAnswers } from './arrived-answers';
import { showBalance, showState } from './charge-headers';
import { ChargeService, type HeldCharge } from './charge.service';
import type { PaidCall } from './paid-call';

/** Runs the route's method. */
export type Work = () => Promise<unknown>;

/** The work of a call whose price is known before it: settled after the work, or before it if the route says so. */
@Injectable()
export class ChargedWork {
  constructor(
    private readonly charges: ChargeService,
    private readonly rails: Rails,
    private readonly arrivedAnswers: ArrivedAnswers,
  ) {}

  async workThenSettle(call: PaidCall, held: HeldCharge, work: Work): Promise<unknown> {
    const body = await work().catch(async (error: unknown) => {
      await this.release(call, held, error);
      throw error;
    });
    // A settlement in doubt must never look like failed work.
    const jobId = (body as { readonly jobId?: string } | null)?.jobId ?? call.jobId;
    await this.settle(call, held, { status: 200, body, jobId });
    this.arrivedAnswers.watch(call.reply, held.draft.id);
    return body;
  }

  async settleThenWork(call: PaidCall, held: HeldCharge, work: Work): Promise<unknown> {
    await this.settle(call, held, undefined);
    call.charge = await this.charges.find(held.draft.id);
    return work();
  }

  /** Releases the hold of a call whose work has failed. */
  async release({ reply, payer }: PaidCall, { draft }: HeldCharge, error: unknown): Promise<void> {
    const state = await this.charges.release(draft, error);
    showState(reply, state);
    if (state === 'released') showBalance(reply, await this.rails.of(draft.rail).balance(payer!));
  }

  private async settle(
    call: PaidCall,
    held: HeldCharge,
    answer: Parameters<ChargeService['settle']>[2],
  ): Promise<void> {
    const { reply } = call;
    void reply.header('x-charge-state', held.isPrepaid ? 'held' : 'settling');
    try {
      const headers = await this.charges.settle(call, held, answer);
      void reply.headers({ ...headers, 'x-charge-state': 'charged' });
      uncountCall(call.request, reply);
    } catch (error) {
      // The charge's row has the state of the money: released, or still in doubt.
      const charge = await this.charges.find(held.draft.id).catch(() => undefined);
      if (charge !== undefined) showState(reply, charge.state);
      throw error;
    }
  }
}
