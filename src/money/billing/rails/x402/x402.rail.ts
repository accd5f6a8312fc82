import { setTimeout as pause } from 'node:timers/promises';

import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { type Micro, micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import { PaymentIdMismatch } from '../../charges/repeated-call.errors';
import { SettlementPending } from '../../charges/in-doubt.errors';
import type { PayableCall } from '../payable-call';
import type { ChargeDraft, Held, SettledAnswer, WorkOutcome } from '../../charges/charge';
import type { Charge } from '../../charges/charge.entity';
import { WalletTierRepository } from '../../prices/wallet-tier.repository';
import { type ChainTransfer, PaymentRail, type Settlement } from '../rail';
import type { Payer } from '../payer';
import type { RailFacts } from '../rail-facts';
import type { Verdict } from './facilitators/facilitator';
import { Facilitators } from './facilitators/facilitators';
import { type CheckedPayment, PaymentCheck } from './proof/payment-check';
import { PAYMENT_HEADERS, paymentHeaderOf } from './proof/payment-header';
import { PaymentRefusal } from './proof/payment-refusal';
import { paymentReceipt } from './mpp/payment-challenge';
import { credentialOf } from './mpp/payment-credential';
import { paidHeaders, unpaidHeaders } from './challenge/receipt-headers';
import type { SignedPayment } from './proof/signed-payment';
import { X402PaymentRepository } from './settlement/x402-payment.repository';
import { X402Price } from './challenge/x402-price';
import { type Settled, X402Settlement } from './settlement/x402-settlement';
import { PaymentUnavailable } from './x402.errors';
import { SETTINGS } from '#platform/config/settings';
import type { PriceSettings } from '#models/catalog/prices.settings';
import type { X402Settings } from './x402.settings';

const proofOf = (payer: Payer | undefined): CheckedPayment => {
  if (payer?.proof === undefined) throw new Error('This call carries no payment.');
  return payer.proof as CheckedPayment;
};

/** The receipt of MPP, for a payer who has paid by MPP. */
const receiptFor = (payer: Payer | undefined, transaction: string, settledAt = new Date()) =>
  (payer?.proof as CheckedPayment | undefined)?.offer?.isMpp === true
    ? paymentReceipt(transaction, settledAt)
    : {};

const NOTHING = micro(0n);
const READS_MAX = 5;
const READ_AGAIN_MS = 150;

/** Charges a call to its signed payment. The rail claims the payment before the work, and settles it after the work. */
@Injectable()
export class X402Rail extends PaymentRail {
  static readonly facts: RailFacts = {
    name: 'x402',
    headers: [...PAYMENT_HEADERS, 'authorization'],
    schemes: {
      x402: {
        type: 'apiKey',
        in: 'header',
        name: 'PAYMENT-SIGNATURE',
        description: 'An x402 payment, base64 JSON.',
      },
      mpp: {
        type: 'http',
        scheme: 'payment',
        description:
          'The same payment as a credential of MPP: the answer to the evm charge in WWW-Authenticate.',
      },
    },
    manifest: {
      header: 'PAYMENT-SIGNATURE, or Authorization: Payment',
      account: false,
      discount: 'the tier of the wallet named as payer',
    },
  };

  constructor(
    private readonly checks: PaymentCheck,
    private readonly refusal: PaymentRefusal,
    private readonly price: X402Price,
    private readonly payments: X402PaymentRepository,
    private readonly settlement: X402Settlement,
    private readonly facilitators: Facilitators,
    private readonly tiers: WalletTierRepository,
    @Inject(SETTINGS) private readonly settings: PriceSettings & X402Settings,
  ) {
    super();
  }

  claims(request: FastifyRequest): boolean {
    const { headers } = request;
    return paymentHeaderOf(headers) !== undefined || credentialOf(headers) !== undefined;
  }

  async identify(call: PayableCall): Promise<Payer> {
    const proof = await this.checks.check(call);
    const { payment, paymentId } = proof.offer;
    if (proof.problem !== undefined && (await this.payments.earlier(payment, paymentId)) === undefined)
      throw await this.errorOf(call, proof.problem, payment);
    return {
      rail: this.name,
      id: payment.payer,
      wallet: payment.payer,
      limitedAs: payment.payer,
      discountPercent: await this.price.discountOf(call, payment),
      mark: this.markOf(payment),
      agreedPrice: payment.amount,
      proof,
    };
  }

  /** A wallet with a signed, unused payment of at least the least price of media, and with that money on chain. */
  async provenPayerOf({ headers }: FastifyRequest): Promise<WalletAddress | undefined> {
    const offer = await this.checks.offerIn(headers);
    if (offer === undefined || offer.payment.amount < this.settings.price.mediaFloor) return undefined;
    const { payment, paymentId } = offer;
    if ((await this.payments.earlier(payment, paymentId)) !== undefined) return undefined;
    const { verdict, balance } = await this.ask(payment);
    const isThere = balance === undefined || balance >= payment.amount;
    return verdict.outcome === 'valid' && isThere ? payment.payer : undefined;
  }

  override async earlier(call: PayableCall, payer: Payer): Promise<string | undefined> {
    const { payment, paymentId } = proofOf(payer).offer;
    const first = await this.payments.earlier(payment, paymentId);
    if (first === undefined || first.fingerprint.equals(call.fingerprint)) return first?.id;
    throw first.sameNonce ? await this.refusal.refuse(call, 'payment_already_used') : new PaymentIdMismatch();
  }

  /** We do not know the wallet's balance on chain, and must not report it. */
  balance(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** `identify` has proven the signature. This method checks the balance and, without `local`, the nonce. */
  async requireFunds(call: PayableCall, local: boolean): Promise<boolean> {
    const { offer, problem } = proofOf(call.payer);
    const { payment, paymentId } = offer;
    if (problem !== undefined) throw await this.errorOf(call, problem, payment);
    if (this.facilitators.on(payment.network).paysGas && (await this.payments.isWasteful(payment.payer)))
      throw await this.refusal.refuse(call, 'wasteful');
    const { verdict, balance } = local ? await this.checkBalance(payment) : await this.ask(payment);
    if (verdict.outcome === 'unavailable') throw new PaymentUnavailable();
    if (verdict.outcome === 'refused') {
      // An equal call may have settled meanwhile; the hold will find its answer.
      if ((await this.payments.earlier(payment, paymentId)) !== undefined) return true;
      throw await this.refusal.refuse(call, verdict.fault);
    }
    if (balance !== undefined && balance < payment.amount) throw await this.shortOf(call);
    return balance !== undefined || !local;
  }

  async hold(call: PayableCall, draft: ChargeDraft): Promise<Held> {
    const { offer, problem } = proofOf(call.payer);
    const { payment, paymentId } = offer;
    if (problem !== undefined) throw await this.errorOf(call, problem, payment);
    for (let reads = 1; ; reads += 1) {
      const { verdict, ...seen } = await this.ask(payment);
      if (verdict.outcome === 'unavailable') throw new PaymentUnavailable();
      if (verdict.outcome === 'refused') {
        // An equal call with this payment may have settled meanwhile. Its settlement has then used the nonce.
        const earlier = await this.payments.earlier(payment, paymentId);
        if (earlier === undefined) throw await this.refusal.refuse(call, verdict.fault);
        return { ok: false, reason: 'duplicate' };
      }
      const claim = await this.payments.claim(draft, payment, paymentId, seen);
      switch (claim) {
        case 'claimed':
          return { ok: true };
        case 'taken':
          return { ok: false, reason: 'duplicate' };
        case 'one-at-a-time':
          throw await this.refusal.refuse(call, 'one_at_a_time');
        case 'wasteful':
          throw await this.refusal.refuse(call, 'wasteful');
        case 'short':
          // A payment that has just moved on the chain but is still open here counts twice for a moment.
          if (reads === READS_MAX || !(await this.moneyMoves(payment.payer, seen.paidIn)))
            return { ok: false, reason: 'short' };
          await pause(READ_AGAIN_MS);
          break;
        default:
          return claim satisfies never;
      }
    }
  }

  shortOf(call: PayableCall): Promise<Error> {
    return this.refusal.refuse(call, 'insufficient_funds');
  }

  async settle(call: PayableCall, draft: ChargeDraft, answer: SettledAnswer): Promise<Settlement> {
    const claimed = await this.payments.beginSettling(answer, 'held');
    const settled =
      claimed === undefined
        ? await this.settlement.decidedElsewhere(draft.id)
        : await this.settlement.settle(claimed);
    if (claimed === undefined && settled.outcome === 'failed') {
      // This process was suspended past the charge's lease, and the sweep released the hold. The signature is still
      // valid, so the caller may send it again.
      return { outcome: 'failed', error: new PaymentUnavailable() };
    }
    return this.settlementOf(call, proofOf(call.payer).offer.payment, settled);
  }

  release(chargeId: string): Promise<boolean> {
    return this.payments.released(chargeId, 'held');
  }

  override async receiptHeaders(
    chargeId: string,
    payer?: Payer,
    settledAt?: Date,
  ): Promise<Readonly<Record<string, string>>> {
    const payment = await this.payments.find(chargeId);
    return payment?.transaction === undefined
      ? {}
      : {
          ...paidHeaders(payment, payment.transaction),
          ...receiptFor(payer, payment.transaction, settledAt),
        };
  }

  override async transferOf(chargeId: string): Promise<ChainTransfer | undefined> {
    const payment = await this.payments.find(chargeId);
    return payment && { network: payment.network, transaction: payment.transaction };
  }

  async recover(charge: Charge, work: WorkOutcome): Promise<void> {
    if (charge.state === 'held' && work !== 'done') {
      if (work === 'not-done') await this.payments.released(charge.id, 'held');
      return;
    }
    const answer = { chargeId: charge.id, watched: true, jobId: charge.jobId };
    const claimed = await this.payments.beginSettling(answer, charge.state);
    if (claimed !== undefined) await this.settlement.settle(claimed);
  }

  override get givesBack(): boolean {
    return this.settings.x402.lateFailureCredit;
  }

  /**
   * Credits the price to the payer's balance, once, after the work has failed. False if there was nothing to credit, or
   * if the operator has switched such credits off.
   */
  async refund(chargeId: string): Promise<boolean> {
    return this.givesBack && (await this.payments.creditLateFailure(chargeId));
  }

  /**
   * Outside of the default network the mark contains the network, because payments on two networks may have the same
   * nonce.
   */
  private markOf({ network, nonce }: SignedPayment): string {
    return network === this.settings.x402.network ? nonce : `${network}:${nonce}`;
  }

  /** Whether the payer's money is in flight, or has arrived meanwhile. */
  private async moneyMoves(payer: WalletAddress, paidIn: Micro): Promise<boolean> {
    return (await this.payments.someSettle(payer)) || (await this.tiers.paidIn(payer)) !== paidIn;
  }

  private errorOf(
    call: PayableCall,
    problem: NonNullable<CheckedPayment['problem']>,
    { payer: signer, network }: SignedPayment,
  ): Promise<Error> {
    return typeof problem === 'string'
      ? this.refusal.refuse(call, problem, { signer, network })
      : Promise.resolve(problem);
  }

  /**
   * Reads the amount paid in first, so that the money of a settlement during the request for the balance can't be spent
   * twice. If the balance can't be read, the claim checks no limit.
   */
  private async ask(
    payment: SignedPayment,
  ): Promise<{ verdict: Verdict; paidIn: Micro; balance?: Micro; fromBlock?: bigint }> {
    const facilitator = this.facilitators.on(payment.network);
    const paidIn = facilitator.seesBalances ? await this.tiers.paidIn(payment.payer) : NOTHING;
    try {
      const fromBlock = await facilitator.recentBlock();
      const [verdict, balance] = await Promise.all([
        facilitator.verify(payment),
        facilitator.balanceOf(payment.payer),
      ]);
      return { verdict, paidIn, balance, fromBlock };
    } catch (error) {
      throw new PaymentUnavailable({ cause: error });
    }
  }

  /** Sends only a request for the balance: no part of the payment leaves this process. */
  private async checkBalance(payment: SignedPayment): Promise<{ verdict: Verdict; balance?: Micro }> {
    try {
      const balance = await this.facilitators.on(payment.network).balanceOf(payment.payer);
      return { verdict: { outcome: 'valid' }, balance };
    } catch (error) {
      throw new PaymentUnavailable({ cause: error });
    }
  }

  private async settlementOf(
    call: PayableCall,
    payment: SignedPayment,
    settled: Settled,
  ): Promise<Settlement> {
    if (settled.outcome === 'charged') {
      const { transaction } = settled;
      const headers = { ...paidHeaders(payment, transaction), ...receiptFor(call.payer, transaction) };
      return { outcome: 'charged', headers };
    }
    if (settled.outcome === 'unknown')
      return { outcome: 'unknown', error: new SettlementPending(call.chargeId ?? '', settled.why) };
    const headers = unpaidHeaders(payment, settled.fault);
    return { outcome: 'failed', error: await this.refusal.refuse(call, settled.fault, { headers }) };
  }
}
