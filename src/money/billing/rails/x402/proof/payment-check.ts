import type { IncomingHttpHeaders } from 'node:http';

import { Inject, Injectable } from '@nestjs/common';

import { AppError } from '#kernel/app-error';
import { Clock } from '#kernel/clock';
import { parseWallet } from '#kernel/wallet-address';
import { recoverSigner } from '#platform/signatures/recover-signer';
import type { PayableCall } from '../../payable-call';
import { authorizationDigest, domainSeparator } from './authorization-digest';
import { Facilitators } from '../facilitators/facilitators';
import type { PaymentFault } from './payment-fault-messages';
import { credentialOf, readCredential } from '../mpp/payment-credential';
import { paymentHeaderOf, readPayment } from './payment-header';
import { PaymentQuote } from '../challenge/payment-quote';
import { priceProblem } from '../challenge/price-problem';
import { PaymentRefusal } from './payment-refusal';
import { SETTLE_SECONDS, realmOf } from '../challenge/requirements';
import type { OfferedPayment, SignedPayment } from './signed-payment';
import { PaymentUnavailable } from '../x402.errors';
import { X402Price, claimedPayer } from '../challenge/x402-price';
import { SETTINGS } from '#platform/config/settings';
import { type X402Network, networkIn } from '#money/networks/networks';
import type { X402Settings } from '../x402.settings';
import type { HttpSettings } from '#platform/http/http.settings';

const DAY_SECONDS = 86_400n;

/** A payment with a valid signature of its payer. */
export interface CheckedPayment {
  readonly offer: OfferedPayment;
  /**
   * The reason why the payment can't pay a new call: expired, or another price. The payment may still repeat a call
   * that it has paid, so the caller gets this reason only if there is no such call.
   */
  readonly problem?: PaymentFault | AppError;
}

/** Checks a payment locally: cheap checks first, then the signature. */
@Injectable()
export class PaymentCheck {
  private readonly separators: ReadonlyMap<string, Buffer>;

  constructor(
    private readonly quotes: PaymentQuote,
    private readonly price: X402Price,
    private readonly refusal: PaymentRefusal,
    private readonly facilitators: Facilitators,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: X402Settings & HttpSettings,
  ) {
    this.separators = new Map(
      settings.x402.networks.map(({ network, domain, chainId, asset }) => [
        network,
        domainSeparator(domain, chainId, asset),
      ]),
    );
  }

  /** Throws a 402 if the payment is not for us or has no valid signature. Returns other faults as `problem`. */
  async check(call: PayableCall): Promise<CheckedPayment> {
    const read = this.read(call.request.headers);
    const fault = read.ok ? this.mismatch(read.offer) : read.fault;
    if (!read.ok || fault !== undefined) {
      const network = read.ok ? read.offer.payment.network : undefined;
      throw await this.refusal.refuse(call, fault ?? 'malformed', { network });
    }
    const { offer } = read;
    const problem = await this.problemOf(call, offer);
    const unsigned = await this.unsigned(offer);
    if (unsigned !== undefined)
      throw await this.refusal.refuse(call, unsigned, { network: offer.payment.network });
    return { offer, problem };
  }

  /** The payment in the headers, if it is for us and its signature is valid. This method checks nothing else. */
  async offerIn(headers: IncomingHttpHeaders): Promise<OfferedPayment | undefined> {
    const read = this.read(headers);
    if (!read.ok || this.mismatch(read.offer) !== undefined) return undefined;
    return (await this.unsigned(read.offer)) === undefined ? read.offer : undefined;
  }

  /** If a client sends both, an x402 payment has priority over an MPP credential. */
  private read(headers: IncomingHttpHeaders): ReturnType<typeof readPayment> {
    const { networks } = this.settings.x402;
    const header = paymentHeaderOf(headers);
    const credential = header === undefined ? credentialOf(headers) : undefined;
    return credential === undefined
      ? readPayment(header ?? '', networks)
      : readCredential(credential, realmOf(this.settings), networks);
  }

  /** The accepted requirement and the signed values must equal our offer; addresses may have any case. */
  private mismatch({ payment, accepted }: OfferedPayment): PaymentFault | undefined {
    const { asset, payTo } = this.networkOf(payment);
    if (payment.payTo !== payTo) return 'wrong_recipient';
    if (accepted === undefined) return undefined;
    if (parseWallet(accepted.asset) !== asset) return 'wrong_asset';
    if (parseWallet(accepted.payTo) !== payTo) return 'wrong_recipient';
    return accepted.amount === payment.amount.toString() ? undefined : 'wrong_amount';
  }

  private async problemOf(call: PayableCall, offer: OfferedPayment): Promise<CheckedPayment['problem']> {
    const { payment } = offer;
    const claimed = claimedPayer(call);
    if (claimed !== undefined && claimed !== payment.payer) return 'payer_mismatch';
    const now = BigInt(Math.floor(this.clock.now().getTime() / 1_000));
    if (payment.validAfter > now) return 'not_yet_valid';
    if (payment.validBefore < now + BigInt(call.route.runSecondsMax + SETTLE_SECONDS))
      return 'expires_too_soon';
    if (payment.validBefore > now + DAY_SECONDS) return 'expires_too_late';
    const { amount, payer } = payment;
    const network = this.networkOf(payment);
    return priceProblem(call, { amount, payer, network, quote: offer.quote }, this.quotes, this.price);
  }

  private networkOf({ network }: SignedPayment): X402Network {
    return networkIn(this.settings.x402, network)!;
  }

  private async unsigned({ payment }: OfferedPayment): Promise<PaymentFault | undefined> {
    const digest = authorizationDigest(this.separators.get(payment.network)!, payment);
    if (recoverSigner(digest, payment.signature) === payment.payer) return undefined;
    const accepted = await this.facilitators
      .on(payment.network)
      .contractAccepts(payment)
      .catch((error: unknown) => {
        throw new PaymentUnavailable({ cause: error });
      });
    if (accepted === undefined)
      return payment.signature.length === 132 ? 'invalid_signature' : 'contract_wallet';
    return accepted ? undefined : 'invalid_signature';
  }
}
