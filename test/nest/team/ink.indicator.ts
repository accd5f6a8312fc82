import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';

@Injectable()
export class InkIndicator {
  millilitres = 10;

  constructor(private readonly indicators: HealthIndicatorService) {}

  check(name: string): HealthIndicatorResult {
    const indicator = this.indicators.check(name);
    return this.millilitres > 0 ? indicator.up() : indicator.down('The ink is used up.');
  }
}
