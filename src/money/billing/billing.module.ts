import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';

import { AccountsModule } from '#people/accounts/accounts.module';
import { CatalogModule } from '#models/catalog/catalog.module';
import { OutboxModule } from '#notices/outbox/outbox.module';
import { IdentityModule } from '#people/identity/identity.module';
import { KeysModule } from '#people/keys/keys.module';
import { BackgroundModule } from '#platform/background/background.module';
import { DatabaseModule } from '#platform/database/database.module';
import { HttpModule } from '#platform/http/http.module';
import { TelemetryModule } from '#platform/telemetry/telemetry.module';
import { AnswerVault } from './calls/answer-vault';
import { CallsUnderway } from './calls/calls-underway';
import { ArrivedAnswers } from './calls/arrived-answers';
import { Admission } from './calls/admission';
import { ChargedWork } from './calls/charged-work';
import { DryRun } from './calls/dry-run';
import { PayableByAnybody } from './calls/payable-by-anybody';
import { Preparation } from './calls/preparation';
import { Replay } from './calls/replay';
import { RunPaidCall } from './calls/run-paid-call';
import { WorkByUse } from './calls/work-by-use';
import { EarlierCalls } from './calls/earlier-calls';
import { Owners } from './calls/owners';
import { PaidRoutes } from './calls/paid-routes';
import { CallsUnderwayRepository } from './charges/calls-underway.repository';
import { ChargeNotifier } from './charges/charge-notifier';
import { ChargeReportRepository } from './charges/charge-report.repository';
import { ChargeRepository } from './charges/charge.repository';
import { ChargesMetrics } from './calls/charges.metrics';
import { ChargeService } from './calls/charge.service';
import { EndedPayers } from './calls/ended-payers';
import { LeaseKeeper } from './charges/lease-keeper';
import { SalesDayRepository } from './charges/sales-day.repository';
import { UsageDayRepository } from './charges/usage-day.repository';
import { WorkOutcomes } from './charges/work-outcomes';
import { AccountFunds } from './ledger/account-funds';
import { LedgerEntriesRepository } from './ledger/ledger-entries.repository';
import { KeyReserveRepository } from './ledger/key-reserve.repository';
import { KeyReserves } from './ledger/key-reserves';
import { LedgerRepository } from './ledger/ledger.repository';
import { QuoteLock } from './prices/quote-lock';
import { QuoteController } from './quotes/quote.controller';
import { QuoteService } from './quotes/quote.service';
import { credentials, railClasses } from './rails/rail-order';
import { PayerAdmission } from './rails/payer-admission';
import { Payers } from './rails/payers';
import type { PaymentRail } from './rails/rail';
import { RailRepository } from './rails/rail.repository';
import { ALL_RAILS, CREDENTIAL_HEADERS, Rails } from './rails/rails';
import { X402Module } from './rails/x402/x402.module';
import { ReceiptSigner } from './receipts/receipt-signer';
import { ReceiptsController } from './receipts/receipts.controller';
import { AnchorProcessor } from './transparency/anchor.processor';
import { AnchorRepository } from './transparency/anchor.repository';
import { StatementController } from './transparency/statement.controller';
import { LogProofs } from './transparency/log-proofs';
import { LogPublisher } from './transparency/log-publisher';
import { LogSealer } from './transparency/log-sealer';
import { SignedHeads } from './transparency/kept-heads';
import { TransparencyAudit } from './transparency/transparency-audit';
import { TransparencyController } from './transparency/transparency.controller';
import { TransparencyMetrics } from './transparency/transparency.metrics';
import { TransparencyProcessor } from './transparency/transparency.processor';
import { TransparencyRepository } from './transparency/transparency.repository';
import { Witnesses } from './transparency/witnesses';
import { QueueModule } from '#platform/queue/queue.module';
import { SweepPausesModule } from '#platform/queue/sweep-pauses.module';
import { StorageModule } from '#platform/storage/storage.module';
import { ChannelMetrics } from './rails/channel/channel.metrics';
import { ChargeSweepProcessor } from './sweeps/charge-sweep.processor';
import { FinalityProcessor } from './sweeps/finality.processor';
import { ReconciliationMetrics } from './sweeps/reconciliation.metrics';
import { ReconciliationProcessor } from './sweeps/reconciliation.processor';
import { ReconciliationRepository } from './sweeps/reconciliation.repository';
import { ReserveSweepProcessor } from './sweeps/reserve-sweep.processor';
import { ReplaySweepProcessor } from './sweeps/replay-sweep.processor';
import { UsageRollupProcessor } from './sweeps/usage-rollup.processor';

/** Paid calls: their payers, their prices and the states of their money. */
@Module({
  imports: [
    AccountsModule,
    BackgroundModule,
    CatalogModule,
    DatabaseModule,
    DiscoveryModule,
    OutboxModule,
    HttpModule,
    IdentityModule,
    KeysModule,
    QueueModule,
    SweepPausesModule,
    StorageModule,
    TelemetryModule,
    X402Module,
  ],
  controllers: [QuoteController, ReceiptsController, StatementController, TransparencyController],
  providers: [
    ...railClasses(),
    ...railClasses().flatMap(({ parts = [] }) => parts),
    { provide: CREDENTIAL_HEADERS, useFactory: () => credentials().headers },
    AccountFunds,
    LedgerEntriesRepository,
    AnchorProcessor,
    AnchorRepository,
    AnswerVault,
    CallsUnderway,
    CallsUnderwayRepository,
    ChannelMetrics,
    ChargeNotifier,
    ChargeReportRepository,
    ChargeRepository,
    ChargesMetrics,
    ChargeService,
    ChargeSweepProcessor,
    ArrivedAnswers,
    Admission,
    ChargedWork,
    DryRun,
    EarlierCalls,
    PayableByAnybody,
    Preparation,
    Replay,
    RunPaidCall,
    WorkByUse,
    EndedPayers,
    FinalityProcessor,
    KeyReserveRepository,
    KeyReserves,
    LeaseKeeper,
    LedgerRepository,
    LogProofs,
    LogPublisher,
    LogSealer,
    Owners,
    PaidRoutes,
    PayerAdmission,
    Payers,
    QuoteLock,
    QuoteService,
    RailRepository,
    Rails,
    ReceiptSigner,
    ReconciliationMetrics,
    ReconciliationProcessor,
    ReconciliationRepository,
    ReplaySweepProcessor,
    ReserveSweepProcessor,
    SalesDayRepository,
    SignedHeads,
    TransparencyAudit,
    TransparencyMetrics,
    TransparencyProcessor,
    TransparencyRepository,
    UsageDayRepository,
    UsageRollupProcessor,
    Witnesses,
    WorkOutcomes,
    {
      provide: ALL_RAILS,
      inject: railClasses(),
      useFactory: (...rails: PaymentRail[]) => rails,
    },
  ],
  // `@Paid` uses its guards and its interceptor in the feature's module, so this module must export their dependencies.
  exports: [
    AccountFunds,
    AccountsModule,
    BackgroundModule,
    CatalogModule,
    CallsUnderway,
    ChargeReportRepository,
    ChargeService,
    ArrivedAnswers,
    DryRun,
    PayableByAnybody,
    Preparation,
    RunPaidCall,
    HttpModule,
    IdentityModule,
    KeyReserves,
    KeysModule,
    Owners,
    PaidRoutes,
    Payers,
    QuoteLock,
    Rails,
    ReconciliationProcessor,
    SalesDayRepository,
    ...railClasses(),
    ...railClasses().flatMap(({ parts = [] }) => parts),
    X402Module,
  ],
})
export class BillingModule {}
