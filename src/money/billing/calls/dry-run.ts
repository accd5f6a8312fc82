import { Injectable } from '@nestjs/common';

import { microToJson } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import { uncountCall } from '#platform/http/limits/address-limits';
import { Rails } from '../rails/rails';
import { Admission } from './admission';
import type { DryRunAnswer } from './dry-run.dto';
import type { PaidCall } from './paid-call';
import { Preparation } from './preparation';

/** Answers dry runs: checks the limits, the balance and the input, but holds and runs nothing. */
@Injectable()
export class DryRun {
  constructor(
    private readonly admission: Admission,
    private readonly preparation: Preparation,
    private readonly rails: Rails,
  ) {}

  async run(call: PaidCall): Promise<DryRunAnswer> {
    const { payer, priced } = call;
    const price = call.most ?? call.price;
    await this.admission.admit(call);
    await this.admission.requireFundsOfDryRun(call);
    await this.preparation.prepare(call, true);
    const balance = await this.rails.of(payer!.rail).balance(payer!);
    if (balance !== undefined) uncountCall(call.request, call.reply);
    return {
      dryRun: true,
      modelId: priced.modelId,
      priceMicro: microToJson(price!),
      rail: payer!.rail,
      // A call that is charged by usage may cost more than the balance, but it never takes more.
      balanceAfterMicro: ifPresent(balance, (left) => Number(left > price! ? left - price! : 0n)),
    };
  }
}
