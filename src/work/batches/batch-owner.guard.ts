import { Injectable } from '@nestjs/common';

import { OwnerGuard } from '#money/billing/calls/owner.guard';

/** Batches sell conversations, so a key needs the scope of conversations. */
@Injectable()
export class BatchOwnerGuard extends OwnerGuard {
  protected readonly limit = 'free';
  protected readonly scope = 'studio';
}
