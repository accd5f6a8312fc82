import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { AccountsModule } from '#people/accounts/accounts.module';
import { BillingModule } from '#money/billing/billing.module';
import { KeysModule } from '#people/keys/keys.module';
import { DatabaseModule } from '#platform/database/database.module';
import { HttpModule } from '#platform/http/http.module';
import { QueueModule } from '#platform/queue/queue.module';
import { SweepPausesModule } from '#platform/queue/sweep-pauses.module';
import { AccountClosingController } from './account-closing.controller';
import { OrganisationClosingController } from './organisation-closing.controller';
import { AccountClosingService } from './account-closing.service';
import { AccountController } from './account.controller';
import { CreditsService } from './credits.service';
import { AutoTopUp } from './auto-top-up.entity';
import { AutoTopUpRepository } from './auto-top-up.repository';
import { AutoTopUpsController } from './auto-top-ups.controller';
import { AutoTopUpsProcessor } from './auto-top-ups.processor';
import { AutoTopUpsService } from './auto-top-ups.service';
import { BillingAddress } from './billing-address.entity';
import { Invoice, InvoiceCounter } from './invoice.entity';
import { InvoiceRepository } from './invoice.repository';
import { InvoicesController } from './invoices.controller';
import { InvoicesService } from './invoices.service';
import { KeyBalanceController } from './key-balance.controller';
import { NoProcessor } from './no.processor';
import { PaymentEvent } from './payment-event.entity';
import { PaymentProcessor } from './payment-processor';
import { SandboxCheckoutController } from './sandbox-checkout.controller';
import { SandboxProcessor } from './sandbox.processor';
import { StrayPayment } from './stray-payment.entity';
import { StrayPayments } from './stray-payment.repository';
import { StripeWebhookController } from './stripe-webhook.controller';
import { TopUp } from './top-up.entity';
import { TopUpRepository } from './top-up.repository';
import { TopUpsService } from './top-ups.service';
import { SETTINGS } from '#platform/config/settings';
import type { CreditsSettings } from './credits.settings';
import type { HttpSettings } from '#platform/http/http.settings';

/** The payment processors. A new one is a class and a line here; its library is loaded only if it is used. */
const processorOf = ({ billing, http }: CreditsSettings & HttpSettings): PaymentProcessor => {
  const { processor, stripe } = billing;
  const stripeProcessor = () => {
    const { StripeProcessor } = module.require('./stripe.processor') as typeof import('./stripe.processor');
    return new StripeProcessor(stripe, http.publicUrl);
  };
  if (processor === 'none')
    return new NoProcessor(
      stripe.secretKey === undefined || stripe.webhookSecret === undefined ? undefined : stripeProcessor(),
    );
  return processor === 'sandbox' ? new SandboxProcessor(http.publicUrl) : stripeProcessor();
};

/** An account's money: balance, top-ups, transactions, usage. */
@Module({
  imports: [
    AccountsModule,
    BillingModule,
    DatabaseModule,
    HttpModule,
    KeysModule,
    QueueModule,
    SweepPausesModule,
    TypeOrmModule.forFeature([
      AutoTopUp,
      BillingAddress,
      Invoice,
      InvoiceCounter,
      PaymentEvent,
      StrayPayment,
      TopUp,
    ]),
  ],
  controllers: [
    AccountClosingController,
    AccountController,
    AutoTopUpsController,
    InvoicesController,
    KeyBalanceController,
    OrganisationClosingController,
    SandboxCheckoutController,
    StripeWebhookController,
  ],
  providers: [
    AccountClosingService,
    AutoTopUpRepository,
    AutoTopUpsProcessor,
    AutoTopUpsService,
    CreditsService,
    InvoiceRepository,
    InvoicesService,
    StrayPayments,
    TopUpRepository,
    TopUpsService,
    { provide: PaymentProcessor, inject: [SETTINGS], useFactory: processorOf },
  ],
  exports: [StrayPayments],
})
export class CreditsModule {}
