import { Injectable } from '@nestjs/common';

import { Payers } from '#money/billing/rails/payers';
import { RailGuard } from '#money/billing/rails/rail.guard';
import { SampleVoucherRail } from './sample-voucher.rail';

@Injectable()
export class SampleVoucherGuard extends RailGuard {
  static readonly rail = SampleVoucherRail;

  constructor(rail: SampleVoucherRail, payers: Payers) {
    super(rail, payers);
  }
}
