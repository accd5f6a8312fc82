import { Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';

import { within } from '#kernel/deadline';
import { Clock } from '#kernel/clock';
import { BadSettings } from '#platform/config/variables';
import { Database } from '#platform/database/database';
import { DatabaseModule } from '#platform/database/database.module';
import { BackgroundWork } from '#platform/background/background-work';
import { HealthParts } from '#platform/health/health-parts';
import { X402Metrics } from './x402.metrics';
import { HealthPartsModule } from '#platform/health/health-parts.module';
import { TelemetryModule } from '#platform/telemetry/telemetry.module';
import { QuoteLock } from '../../prices/quote-lock';
import { WalletTierRepository } from '../../prices/wallet-tier.repository';
import { ChannelTerms } from '../channel/channel-terms';
import { X402Challenge } from './challenge/challenge';
import type { Facilitator } from './facilitators/facilitator';
import { Facilitators } from './facilitators/facilitators';
import { makeFacilitators } from './facilitators/make-facilitator';
import { X402DriftRepository } from './settlement/x402-drift.repository';
import { PaymentSender } from './settlement/payment-sender';
import { PaymentCheck } from './proof/payment-check';
import { PaymentQuote } from './challenge/payment-quote';
import { PaymentRefusal } from './proof/payment-refusal';
import { X402Finality } from './settlement/x402-finality';
import { X402PaymentRepository } from './settlement/x402-payment.repository';
import { X402Price } from './challenge/x402-price';
import { X402Settlement } from './settlement/x402-settlement';
import { SETTINGS } from '#platform/config/settings';
import type { X402Settings } from './x402.settings';

/** The start waits this long for the node's answer whether payments are possible. */
const START_MS_MAX = 2_000;

/** Payment per call on chain: the parts of its rail, the challenge, and the facilitators. */
@Module({
  imports: [DatabaseModule, HealthPartsModule, TelemetryModule],
  providers: [
    {
      provide: Facilitators,
      inject: [SETTINGS, Database, Clock, X402Metrics],
      useFactory: (settings: X402Settings, db: Database, clock: Clock, metrics: X402Metrics) =>
        makeFacilitators({ settings, db, clock, metrics }),
    },
    QuoteLock,
    WalletTierRepository,
    ChannelTerms,
    PaymentQuote,
    PaymentSender,
    PaymentCheck,
    PaymentRefusal,
    X402DriftRepository,
    X402Challenge,
    X402Finality,
    X402Metrics,
    X402PaymentRepository,
    X402Price,
    X402Settlement,
  ],
  exports: [
    ChannelTerms,
    Facilitators,
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
export class X402Module implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly facilitators: Facilitators,
    private readonly parts: HealthParts,
    private readonly background: BackgroundWork,
  ) {}

  onModuleInit(): void {
    for (const [index, [network, facilitator]] of this.facilitators.all.entries()) {
      const name = index === 0 ? 'facilitator' : `facilitator-${network.split(':')[1]}`;
      this.parts.register({ name, critical: false, check: () => facilitator.state() });
    }
  }

  /**
   * Finds out before the first challenge whether the money is real. Refuses to start if a network's token does not have
   * 6 decimals.
   */
  async onApplicationBootstrap(): Promise<void> {
    const questions = this.facilitators.all.map(([network, facilitator]) =>
      this.problemOf(network, facilitator),
    );
    const problems = (await Promise.all(questions)).flatMap((one) => one ?? []);
    if (problems.length > 0) throw new BadSettings(problems);
  }

  /** A node that does not answer in time does not delay the start. Payments on its network must wait for the node. */
  private async problemOf(network: string, facilitator: Facilitator): Promise<string | undefined> {
    const state = facilitator.state().catch(() => undefined);
    this.background.detach(`Asking the facilitator of ${network}`, () => state);
    const misfit = facilitator.misfit().catch(() => undefined);
    const why = await within(START_MS_MAX, misfit, () => undefined);
    return why === 'decimals'
      ? `The token on ${network} does not have 6 decimals, so a price would be another sum; it can't be taken`
      : undefined;
  }
}
