import { Inject, Injectable, Logger } from '@nestjs/common';

import type { Acting } from '#people/accounts/acting-person';
import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { NotFound } from '#kernel/app-error';
import { newId } from '#kernel/ids';
import { cardAmount } from './card-amounts';
import { CardsNotTaken } from './credits.errors';
import type { CreditTopUpAnswer } from './credits.dto';
import { PaymentProcessor, type PaymentReport } from './payment-processor';
import type { TopUp } from './top-up.entity';
import { TopUpRepository } from './top-up.repository';
import { SETTINGS } from '#platform/config/settings';
import type { CreditsSettings } from './credits.settings';
import type { HttpSettings } from '#platform/http/http.settings';
import { IdempotencyMismatch } from '#platform/http/routes/routes.errors';

/** The outcome of a report. Only the first report of a payment moves money. */
export type Outcome =
  | 'credited'
  | 'refunded'
  | 'unknown_top_up'
  | 'refused_before'
  | 'failed'
  | 'unpaid'
  | 'wrong_currency'
  | 'wrong_amount';

/** Sells credits: opens a checkout, and credits it when the processor reports the payment. */
@Injectable()
export class TopUpsService {
  private readonly logger = new Logger(TopUpsService.name);

  constructor(
    private readonly topUps: TopUpRepository,
    private readonly funds: AccountFunds,
    private readonly processor: PaymentProcessor,
    @Inject(SETTINGS) private readonly settings: CreditsSettings & HttpSettings,
  ) {}

  async open(
    { organisation, person }: Acting,
    usd: number,
    mark: string | undefined,
  ): Promise<CreditTopUpAnswer> {
    const amount = cardAmount(usd);
    const { name } = this.processor;
    if (name === 'none') throw new CardsNotTaken();
    // The row comes before the checkout: no payment may arrive for an unknown top-up.
    const topUp = await this.topUps.add(
      { id: newId('tu'), accountId: organisation.id, amount, processor: name },
      mark,
    );
    if (topUp.amount !== amount) throw new IdempotencyMismatch();
    if (topUp.checkoutUrl !== undefined) return { topUpId: topUp.id, checkoutUrl: topUp.checkoutUrl };
    const checkout = await this.processor.open({ topUpId: topUp.id, amount, email: person.email });
    await this.topUps.opened(topUp.id, checkout);
    return { topUpId: topUp.id, checkoutUrl: checkout.url };
  }

  /** A top-up of the sandbox. Its id can’t be guessed, so anyone who has it may see and pay it. */
  async inSandbox(id: string): Promise<TopUp> {
    const topUp = this.processor.name === 'sandbox' ? await this.topUps.find(id) : undefined;
    if (topUp?.processor !== 'sandbox') throw new NotFound('There is no such checkout.');
    return topUp;
  }

  async payInSandbox(id: string): Promise<void> {
    const { amount } = await this.inSandbox(id);
    const status = 'paid';
    const event = { eventId: `sandbox:${id}`, kind: 'button', topUpId: id, currency: 'usd' };
    await this.apply({ processor: 'sandbox', ...event, status, amount });
  }

  /** Applies an event once, however often it is delivered, also concurrently. */
  async apply(report: PaymentReport): Promise<Outcome | undefined> {
    if (await this.topUps.isKnown(report.eventId)) return undefined;
    const outcome = await this.judge(report);
    if (outcome !== 'credited' && outcome !== 'refunded') {
      const { eventId, kind, topUpId } = report;
      this.logger.warn({ eventId, kind, topUpId, outcome }, 'A payment event brought no credits.');
    }
    // The event is recorded last: if the work fails before, the processor delivers the event again.
    await this.topUps.record(report, outcome);
    return outcome;
  }

  private async judge(report: PaymentReport): Promise<Outcome> {
    const topUp = report.topUpId === undefined ? undefined : await this.topUps.find(report.topUpId);
    if (report.status === 'refunded') return this.judgeRefund(report, topUp);
    if (topUp === undefined || !isAbout(report, topUp)) return 'unknown_top_up';
    if (topUp.state === 'refused') return 'refused_before';
    if (report.status === 'unpaid') {
      return 'unpaid'; // Not the end: some payment methods take days, and report later.
    }
    const refusal = refusalOf(report, topUp);
    if (refusal !== undefined) {
      await this.topUps.refused(topUp.id, report.refusal ?? refusal);
      return refusal;
    }
    // The ledger accepts each source once, so a repetition credits nothing twice.
    await this.funds.topUp(creditsAccount(topUp.accountId), topUp.amount, `credits:${topUp.id}`);
    await this.topUps.paid(topUp.id, report.reference, this.settings.billing.seller);
    return 'credited';
  }

  /** The operator has returned money to the card. Invoices show it; the credits stay, because they may be spent. */
  private async judgeRefund(
    { processor, amount, currency }: PaymentReport,
    topUp: TopUp | undefined,
  ): Promise<Outcome> {
    if (topUp?.processor !== processor) return 'unknown_top_up';
    if (currency !== 'usd') return 'wrong_currency';
    if (amount === undefined) return 'wrong_amount';
    await this.topUps.refunded(topUp.id, amount);
    return 'refunded';
  }

  get billingPage(): string {
    const { pathname } = new URL(this.settings.http.publicUrl);
    return `${pathname.replace(/\/$/, '')}/account/billing`;
  }
}

const isAbout = (report: PaymentReport, topUp: TopUp): boolean =>
  report.processor === topUp.processor &&
  (topUp.reference === undefined || topUp.reference === report.reference);

const refusalOf = (
  report: PaymentReport,
  topUp: TopUp,
): 'failed' | 'wrong_currency' | 'wrong_amount' | undefined => {
  if (report.status === 'failed') return 'failed';
  if (report.currency !== 'usd') return 'wrong_currency';
  return report.amount === topUp.amount ? undefined : 'wrong_amount';
};
