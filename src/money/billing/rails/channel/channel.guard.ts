import { Injectable } from '@nestjs/common';

import { Payers } from '../payers';
import { RailGuard } from '../rail.guard';
import { ChannelRail } from './channel.rail';

@Injectable()
export class ChannelGuard extends RailGuard {
  static readonly rail = ChannelRail;

  constructor(rail: ChannelRail, payers: Payers) {
    super(rail, payers);
  }
}
