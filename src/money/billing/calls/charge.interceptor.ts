import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { type Observable, lastValueFrom, of } from 'rxjs';

import { CallsUnderway } from './calls-underway';
import { DryRun } from './dry-run';
import { paidCallOf } from './paid-call';
import { Preparation } from './preparation';
import { RunPaidCall } from './run-paid-call';

/**
 * Moves the money of a paid call. It holds the price before the work, settles it after success, and releases it if the
 * work certainly failed. The sweep decides a call whose outcome is in doubt.
 */
@Injectable()
export class ChargeInterceptor implements NestInterceptor {
  constructor(
    private readonly paid: RunPaidCall,
    private readonly dry: DryRun,
    private readonly preparation: Preparation,
    private readonly underway: CallsUnderway,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const call = paidCallOf(context);
    const work = (): Promise<unknown> => lastValueFrom(next.handle(), { defaultValue: undefined });
    try {
      return of(call.body.dryRun === true ? await this.dry.run(call) : await this.paid.run(call, work));
    } finally {
      await this.preparation.discard(call);
      await this.underway.leave(call);
    }
  }
}
