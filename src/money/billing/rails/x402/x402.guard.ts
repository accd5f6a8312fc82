import { Injectable } from '@nestjs/common';

import { Payers } from '../payers';
import { RailGuard } from '../rail.guard';
import { X402Rail } from './x402.rail';

@Injectable()
export class X402Guard extends RailGuard {
  static readonly rail = X402Rail;

  constructor(rail: X402Rail, payers: Payers) {
    super(rail, payers);
  }
}
