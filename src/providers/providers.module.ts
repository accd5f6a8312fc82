import { Module } from '@nestjs/common';

import { TelemetryModule } from '../platform/telemetry/telemetry.module';
import { SandboxTextProvider } from './sandbox/sandbox-text.provider';
import { TextProviders } from './text-providers';

@Module({
  imports: [TelemetryModule],
  providers: [
    SandboxTextProvider,
    {
      provide: TextProviders,
      inject: [SandboxTextProvider],
      useFactory: (...adapters: ConstructorParameters<typeof TextProviders>[0][number][]) =>
        new TextProviders(adapters),
    },
  ],
  exports: [TextProviders],
})
export class ProvidersModule {}
