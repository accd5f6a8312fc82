import { Injectable } from '@nestjs/common';

import { Payers } from '../payers';
import { RailGuard } from '../rail.guard';
import { WalletRail } from './wallet.rail';

@Injectable()
export class WalletGuard extends RailGuard {
  static readonly rail = WalletRail;

  constructor(rail: WalletRail, payers: Payers) {
    super(rail, payers);
  }
}
