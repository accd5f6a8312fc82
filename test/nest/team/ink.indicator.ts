import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';

import { HealthParts } from '#platform/health/health-parts';

@Injectable()
export class InkIndicator implements OnModuleInit {
  millilitres = 10;

  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly parts: HealthParts,
  ) {}

  onModuleInit(): void {
    this.parts.register({ name: 'ink', critical: false, check: () => this.check() });
  }

  private check(): HealthIndicatorResult {
    const indicator = this.indicators.check('ink');
    return this.millilitres > 0 ? indicator.up() : indicator.down('The ink is used up.');
  }
}
