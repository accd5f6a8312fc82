import { Inject, Injectable } from '@nestjs/common';

import { RailGuard } from '../rail.guard';
import { ApiKeyRail } from './api-key.rail';

@Injectable()
export class ApiKeyGuard extends RailGuard {
  constructor(@Inject(ApiKeyRail) rail: ApiKeyRail) {
    super(rail);
  }
}
