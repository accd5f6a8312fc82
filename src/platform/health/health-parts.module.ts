import { Module, type OnModuleInit } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';

import { BackgroundModule } from '../background/background.module';
import { BackgroundWork } from '../background/background-work';
import { HealthParts } from './health-parts';

/** The registry in which each module registers its health checks. */
@Module({
  // HealthParts logs each change of a part once; Terminus would log every failing check.
  imports: [BackgroundModule, TerminusModule.forRoot({ logger: false })],
  providers: [HealthParts],
  exports: [HealthParts],
})
export class HealthPartsModule implements OnModuleInit {
  constructor(
    private readonly background: BackgroundWork,
    private readonly parts: HealthParts,
  ) {}

  onModuleInit(): void {
    this.parts.register({
      name: 'background',
      critical: false,
      check: () => Promise.resolve(Object.keys(this.background.failing()).length === 0 ? 'ok' : 'degraded'),
    });
  }
}
