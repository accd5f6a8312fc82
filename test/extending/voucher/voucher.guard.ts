import { Injectable } from '@nestjs/common';

import { Payers } from '../../../src/billing/rails/payers';
import { RailGuard } from '../../../src/billing/rails/rail.guard';
import { VoucherRail } from './voucher.rail';

@Injectable()
export class VoucherGuard extends RailGuard {
  static readonly rail = VoucherRail;

  constructor(rail: VoucherRail, payers: Payers) {
    super(rail, payers);
  }
}
