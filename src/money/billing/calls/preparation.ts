import { Injectable } from '@nestjs/common';

import { BackgroundWork } from '#platform/background/background-work';
import { withFix } from '#platform/http/routes/body-fix';
import type { PaidBody } from './paid-body';
import type { PaidCall } from './paid-call';
import type { Preparer } from './preparer';
import { pricedBody } from './priced-body';

/** Runs the preparer of a call's route, if the route has one. */
@Injectable()
export class Preparation {
  constructor(private readonly background: BackgroundWork) {}

  isCostly(call: PaidCall): boolean {
    return call.parts.preparer?.isCostly(call) === true;
  }

  /** `local` is true for a dry run. */
  async prepare(call: PaidCall, local: boolean): Promise<void> {
    const { preparer } = call.parts;
    if (preparer === undefined) return;
    call.input = await withFix(
      call.request,
      () => preparer.prepare(call, local),
      (sent) => this.tryOut(call, preparer, sent),
    );
  }

  /**
   * Work in doubt may still read its input after the answer, so the service discards the input only after that work.
   */
  async discard({ parts: { preparer }, input, reading }: PaidCall): Promise<void> {
    if (preparer === undefined) return;
    if (reading === undefined) {
      await preparer.discard(input);
      return;
    }
    this.background.detach('Deleting what calls worked from', async () => {
      await reading.catch(() => undefined);
      await preparer.discard(input);
    });
  }

  /** Prepares the call with a proposed fix of its body, as a dry run, and discards the prepared input at once. */
  private async tryOut(call: PaidCall, preparer: Preparer<PaidBody>, sent: unknown): Promise<void> {
    const { body, priced } = await pricedBody(call.route, call.parts.pricer, call.request, sent);
    await preparer.discard(await preparer.prepare({ ...call, body, priced }, true));
  }
}
