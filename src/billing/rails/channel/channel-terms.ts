import { Inject, Injectable, Logger } from '@nestjs/common';
import type { PaymentRequirements, SupportedKind } from '@x402/core/types';
import { BATCH_SETTLEMENT_SCHEME } from '@x402/evm';
import { BatchSettlementEvmScheme, type ChannelStorage } from '@x402/evm/batch-settlement/server';
import { privateKeyToAccount } from 'viem/accounts';

import type { MaybePromise } from '../../../kernel/maybe-promise';
import { type WalletAddress, checksummed, parseWallet } from '../../../kernel/wallet-address';
import { BackgroundWork } from '../../../platform/background/background-work';
import { SETTINGS, type Settings } from '../../../platform/config/settings';
import { type ChannelAccess, Facilitator } from '../x402/facilitators/facilitator';
import { tokenDomainOf } from '../x402/networks';

/** A facilitator that does not run channels may do so later. */
const ASK_AGAIN_MS = 60_000;
const ASK_AGAIN_AFTER_FAILURE_MS = 5_000;

/** The form of an offer that a channel shares with a payment for one call. */
interface ExactOffer {
  readonly network: string;
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: Readonly<Record<string, string>>;
}

/** The conditions of channels here, once the facilitator has confirmed that it runs them. */
export interface Terms {
  readonly access: ChannelAccess;
  readonly kind: SupportedKind;
  /** The wallet that authorises claims and refunds. */
  readonly authorizer: WalletAddress;
  readonly scheme: BatchSettlementEvmScheme;
}

/** Knows whether channels are offered, and makes their offer in a 402. */
@Injectable()
export class ChannelTerms {
  private readonly logger = new Logger(ChannelTerms.name);
  private known: { readonly terms: Terms | undefined; readonly until: number } | undefined;
  private asking: Promise<Terms | undefined> | undefined;

  constructor(
    private readonly facilitator: Facilitator,
    private readonly background: BackgroundWork,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Undefined while channels are not offered. Only the first question waits for the facilitator. */
  current(): MaybePromise<Terms | undefined> {
    const { channels } = this.settings.x402;
    if (!channels.offered || this.facilitator.channels === undefined) return undefined;
    if (this.known === undefined) return this.ask();
    if (this.known.terms === undefined && performance.now() > this.known.until)
      this.background.detach('Asking the facilitator about channels', () => this.ask());
    return this.known.terms;
  }

  /** The offer beside that for one call; none while channels are not offered. */
  async offer(
    { network, amount, asset, payTo, maxTimeoutSeconds, extra }: ExactOffer,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<PaymentRequirements[]> {
    const terms = await this.current();
    if (terms === undefined) return [];
    const base = {
      scheme: BATCH_SETTLEMENT_SCHEME,
      network: network as PaymentRequirements['network'],
      amount,
      asset,
      payTo,
      maxTimeoutSeconds,
      extra: { ...extra },
    };
    const offer = await terms.scheme.enhancePaymentRequirements(base, terms.kind, []);
    return [{ ...offer, extra: { ...offer.extra, ...more } }];
  }

  /** The requirements that the facilitator checks a payment against. */
  async requirements(amount: string): Promise<PaymentRequirements | undefined> {
    const { network, asset, payTo } = this.settings.x402;
    const [offer] = await this.offer({
      network,
      amount,
      asset: checksummed(asset),
      payTo: checksummed(payTo),
      maxTimeoutSeconds: 300,
      extra: { ...tokenDomainOf(network) },
    });
    return offer;
  }

  /** The scheme of the published package on some storage, which signs with our key if we have one. */
  schemeOn(storage?: ChannelStorage): BatchSettlementEvmScheme {
    const { payTo, channels } = this.settings.x402;
    return new BatchSettlementEvmScheme(checksummed(payTo) as `0x${string}`, {
      storage,
      withdrawDelay: channels.withdrawSeconds,
      receiverAuthorizerSigner: channels.key && privateKeyToAccount(channels.key),
    });
  }

  private ask(): Promise<Terms | undefined> {
    this.asking ??= this.askNow().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async askNow(): Promise<Terms | undefined> {
    try {
      const terms = await this.termsOf(this.facilitator.channels!);
      this.known = { terms, until: performance.now() + ASK_AGAIN_MS };
      return terms;
    } catch (error) {
      this.logger.warn({ err: error }, 'The facilitator could not be asked about channels.');
      this.known = { terms: undefined, until: performance.now() + ASK_AGAIN_AFTER_FAILURE_MS };
      return undefined;
    }
  }

  private async termsOf(access: ChannelAccess): Promise<Terms | undefined> {
    const { network } = this.settings.x402;
    const [{ kinds }, isThere] = await Promise.all([access.client.getSupported(), access.isThere()]);
    const kind = Array.isArray(kinds)
      ? kinds.find((known) => known.scheme === BATCH_SETTLEMENT_SCHEME && known.network === network)
      : undefined;
    if (kind === undefined || !isThere) return undefined;
    const scheme = this.schemeOn();
    const problem = scheme.validateFacilitatorSupport(kind.network, kind, []);
    const named = scheme.getReceiverAuthorizerSigner()?.address ?? kind.extra?.['receiverAuthorizer'];
    const authorizer = parseWallet(typeof named === 'string' ? named : '');
    if (problem !== undefined || authorizer === undefined) {
      this.logger.warn(
        'The facilitator runs channels but signs no claims. Set X402_CHANNEL_KEY to offer them.',
      );
      return undefined;
    }
    return { access, kind, authorizer, scheme };
  }
}
