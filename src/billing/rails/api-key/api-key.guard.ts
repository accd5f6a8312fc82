import { Injectable } from '@nestjs/common';

import { RailGuard } from '../rail.guard';
import { ApiKeyRail } from './api-key.rail';

@Injectable()
export class ApiKeyGuard extends RailGuard {
  static readonly rail = ApiKeyRail;

  constructor(rail: ApiKeyRail) {
    super(rail);
  }
}
