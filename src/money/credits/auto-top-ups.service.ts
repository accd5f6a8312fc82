import { Injectable, Logger } from '@nestjs/common';

import type { Acting } from '#people/accounts/acting-person';
import { InvalidRequest, NotFound } from '#kernel/app-error';
import { type Micro, microToJson, parseUsd, usdText } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import { SweepPauses } from '#platform/queue/sweep-pause.repository';
import { AUTO_TOP_UPS, AutoTopUpRepository } from './auto-top-up.repository';
import type { AutoTopUpAnswer, AutoTopUpBody } from './auto-top-ups.dto';
import { cardAmount } from './card-amounts';
import { NoSavedCard } from './credits.errors';
import { type CardReport, type CardsOnFile, PaymentProcessor, type ProcessorName } from './payment-processor';
import type { TopUp } from './top-up.entity';
import { NEVER_SENT, TopUpRepository } from './top-up.repository';
import { TopUpsService } from './top-ups.service';

/** The pause before the processor is asked again about a charge that it still works on. */
const WAIT_SECONDS = 15;

/** Tops accounts up by a saved card, as an owner has ordered. */
@Injectable()
export class AutoTopUpsService {
  private readonly logger = new Logger(AutoTopUpsService.name);

  constructor(
    private readonly autoTopUps: AutoTopUpRepository,
    private readonly topUpRows: TopUpRepository,
    private readonly topUps: TopUpsService,
    private readonly processor: PaymentProcessor,
    private readonly pauses: SweepPauses,
  ) {}

  async show(accountId: string): Promise<AutoTopUpAnswer> {
    const [found, used] = await Promise.all([
      this.autoTopUps.find(accountId),
      this.autoTopUps.usedInMonth(accountId),
    ]);
    return {
      available: this.processor.cards !== undefined,
      enabled: found?.enabled ?? false,
      card: found?.card,
      belowUsd: ifPresent(found?.below, usdOf),
      amountUsd: ifPresent(found?.amount, usdOf),
      monthUsd: ifPresent(found?.month, usdOf),
      usedMicro: microToJson(used),
      failures: found?.failures ?? 0,
      lastFailure: found?.lastFailure,
    };
  }

  async set(accountId: string, body: AutoTopUpBody): Promise<AutoTopUpAnswer> {
    const rule = {
      enabled: body.enabled,
      below: usdIn(body.belowUsd, 'belowUsd'),
      amount: cardAmount(body.amountUsd, 'amountUsd'),
      month: usdIn(body.monthUsd, 'monthUsd'),
    };
    if (rule.month < rule.amount)
      throw new InvalidRequest('monthUsd must cover amountUsd at least once.', { param: 'monthUsd' });
    if (rule.enabled) this.requireCards();
    if (!(await this.autoTopUps.set(accountId, rule))) throw new NoSavedCard();
    return this.show(accountId);
  }

  /** Opens a page of the processor; no number of a card ever comes here. */
  async openCardPage({ organisation, person }: Acting): Promise<string> {
    const cards = this.requireCards();
    const before = await this.autoTopUps.find(organisation.id);
    const { customer, reference, url } = await cards.open({
      accountId: organisation.id,
      email: person.email,
      customer: before?.customer,
    });
    await this.autoTopUps.setupOpened(organisation.id, person.id, customer, reference);
    return url;
  }

  /** Saves the card that a signed report of the processor names. Repeated and older reports change nothing. */
  async cardSaved({ accountId, reference }: CardReport): Promise<void> {
    const found = await this.autoTopUps.find(accountId);
    if (found?.setupReference !== reference) return;
    const card = await this.processor.cards?.saved(reference);
    if (card !== undefined) await this.autoTopUps.cardSaved(accountId, reference, card);
  }

  async removeCard(accountId: string): Promise<void> {
    const paymentMethod = await this.autoTopUps.removeCard(accountId);
    if (paymentMethod === undefined) return;
    // We no longer charge the card, even if this fails. The processor may have removed it already.
    const { cards, earlierCards = cards } = this.processor;
    await earlierCards?.forget(paymentMethod).catch((error: unknown) => {
      this.logger.warn({ err: error, accountId }, 'A removed card could not be detached at the processor.');
    });
  }

  /** Decides the charges that other processes left open, then charges due accounts. */
  async run(most: number): Promise<number> {
    const { cards, earlierCards = cards, name } = this.processor;
    if (earlierCards === undefined) return 0;
    const abandoned = await this.autoTopUps.abandoned(most);
    for (const { topUp, mayCreate } of abandoned)
      await this.charge(earlierCards, topUp, true, mayCreate && cards !== undefined);
    if (cards === undefined || name === 'none') return abandoned.length;
    const due = await this.autoTopUps.due(most);
    for (const accountId of due) await this.topUp(cards, name, accountId);
    return abandoned.length + due.length;
  }

  /** An account whose row can't be written holds up no other. */
  private async topUp(cards: CardsOnFile, name: ProcessorName, accountId: string): Promise<void> {
    try {
      const topUp = await this.autoTopUps.begin(accountId, name);
      if (topUp !== undefined) await this.charge(cards, topUp, false, true);
      await this.pauses.done(AUTO_TOP_UPS, accountId);
    } catch (error) {
      this.logger.warn({ err: error, accountId }, 'An automatic top-up could not begin; a later run tries.');
      await this.pauses.failed(AUTO_TOP_UPS, accountId);
    }
  }

  /** An unclear answer leaves the row open, and a later run asks the processor about it. */
  private async charge(
    cards: CardsOnFile,
    { id, amount, customer = '', paymentMethod = '', createdAt }: TopUp,
    isRepeated: boolean,
    mayCreate: boolean,
  ): Promise<void> {
    try {
      const request = {
        topUpId: id,
        amount,
        customer,
        paymentMethod,
        since: createdAt,
        isRepeated,
        mayCreate,
      };
      const end = await cards.charge(request);
      if (end === 'none') await this.topUpRows.refused(id, NEVER_SENT);
      else if (end !== 'open') await this.topUps.apply(end);
      if (end === 'open') await this.pauses.waits(AUTO_TOP_UPS, id, WAIT_SECONDS);
      else await this.pauses.done(AUTO_TOP_UPS, id);
    } catch (error) {
      await this.pauses.failed(AUTO_TOP_UPS, id);
      this.logger.warn(
        { err: error, topUpId: id },
        'The end of an automatic top-up is unknown; a later run asks again.',
      );
    }
  }

  private requireCards(): CardsOnFile {
    const { cards } = this.processor;
    if (cards === undefined) throw new NotFound('This service saves no cards.');
    return cards;
  }
}

const usdOf = (amount: Micro): number => Number(usdText(amount));

const usdIn = (usd: number, param: string): Micro => {
  const amount = parseUsd(String(usd));
  if (amount === undefined || amount <= 0n)
    throw new InvalidRequest(`${param} must be an amount in USD with 6 decimals at most.`, { param });
  return amount;
};
