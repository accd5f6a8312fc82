import { Injectable } from '@nestjs/common';

import { OwnerGuard } from '#money/billing/calls/owner.guard';

@Injectable()
export class WebhookOwnerGuard extends OwnerGuard {
  protected readonly limit = 'free';
  protected readonly scope = 'webhooks';
}
