import { Module, type OnModuleInit } from '@nestjs/common';

import { Clock } from '../../../kernel/clock';
import { SETTINGS, type Settings } from '../../../platform/config/settings';
import { Database } from '../../../platform/database/database';
import { DatabaseModule } from '../../../platform/database/database.module';
import { BackgroundWork } from '../../../platform/background/background-work';
import { HealthParts } from '../../../platform/health/health-parts';
import { Metrics } from '../../../platform/telemetry/metrics';
import { HealthPartsModule } from '../../../platform/health/health-parts.module';
import { TelemetryModule } from '../../../platform/telemetry/telemetry.module';
import { PriceLock } from '../../prices/price-lock';
import { WalletTierRepository } from '../../prices/wallet-tier.repository';
import { ChannelTerms } from '../channel/channel-terms';
import { X402Challenge } from './challenge/challenge';
import { Facilitator } from './facilitators/facilitator';
import { makeFacilitator } from './facilitators/make-facilitator';
import { X402DriftRepository } from './settlement/x402-drift.repository';
import { PaymentSender } from './settlement/payment-sender';
import { PaymentCheck } from './proof/payment-check';
import { PaymentQuote } from './challenge/payment-quote';
import { PaymentRefusal } from './proof/payment-refusal';
import { X402Finality } from './settlement/x402-finality';
import { X402PaymentRepository } from './settlement/x402-payment.repository';
import { X402Price } from './challenge/x402-price';
import { X402Settlement } from './settlement/x402-settlement';

/** Payment per call: the parts of its rail, the challenge, and the facilitator. */
@Module({
  imports: [DatabaseModule, HealthPartsModule, TelemetryModule],
  providers: [
    {
      provide: Facilitator,
      inject: [SETTINGS, Database, Clock, Metrics],
      useFactory: (settings: Settings, db: Database, clock: Clock, metrics: Metrics) =>
        makeFacilitator({ settings, db, clock, metrics }),
    },
    PriceLock,
    WalletTierRepository,
    ChannelTerms,
    PaymentQuote,
    PaymentSender,
    PaymentCheck,
    PaymentRefusal,
    X402DriftRepository,
    X402Challenge,
    X402Finality,
    X402PaymentRepository,
    X402Price,
    X402Settlement,
  ],
  exports: [
    ChannelTerms,
    Facilitator,
    PaymentQuote,
    X402DriftRepository,
    PaymentCheck,
    PaymentRefusal,
    WalletTierRepository,
    X402Challenge,
    X402Finality,
    X402PaymentRepository,
    X402Price,
    X402Settlement,
  ],
})
export class X402Module implements OnModuleInit {
  constructor(
    private readonly facilitator: Facilitator,
    private readonly parts: HealthParts,
    private readonly background: BackgroundWork,
  ) {}

  onModuleInit(): void {
    this.parts.register({ name: 'facilitator', critical: false, check: () => this.facilitator.state() });
    // Learns before the first challenge whether the money is real.
    this.background.detach('Asking the facilitator', () => this.facilitator.state());
  }
}
