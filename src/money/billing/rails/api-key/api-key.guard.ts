import { Injectable } from '@nestjs/common';

import { Payers } from '../payers';
import { RailGuard } from '../rail.guard';
import { ApiKeyRail } from './api-key.rail';

@Injectable()
export class ApiKeyGuard extends RailGuard {
  static readonly rail = ApiKeyRail;

  constructor(rail: ApiKeyRail, payers: Payers) {
    super(rail, payers);
  }
}
