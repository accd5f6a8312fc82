import { Injectable } from '@nestjs/common';

import { OwnerGuard } from '#money/billing/calls/owner.guard';

@Injectable()
export class ReferenceOwnerGuard extends OwnerGuard {
  protected readonly limit = 'references';
  protected readonly scope = 'references';
}
