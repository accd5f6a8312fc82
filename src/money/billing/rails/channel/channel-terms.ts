import { Inject, Injectable, Logger } from '@nestjs/common';
import type { FacilitatorClient } from '@x402/core/server';
import type { PaymentRequirements, SettleResponse, SupportedKind } from '@x402/core/types';
import { BATCH_SETTLEMENT_SCHEME } from '@x402/evm';
import { BatchSettlementEvmScheme, type ChannelStorage } from '@x402/evm/batch-settlement/server';
import { privateKeyToAccount } from 'viem/accounts';

import { type WalletAddress, checksummed, parseWallet } from '#kernel/wallet-address';
import { BackgroundWork } from '#platform/background/background-work';
import { Outage } from '#platform/background/outage';
import type { ChannelAccess } from '../x402/facilitators/facilitator';
import { Facilitators } from '../x402/facilitators/facilitators';
import { SETTINGS } from '#platform/config/settings';
import { type X402Network, networkIn } from '#money/networks/networks';
import { getOrMake } from '#kernel/maps';
import type { X402Settings } from '../x402/x402.settings';
import type { ChannelSettings } from './channel.settings';
import type { Requirement } from '../x402/challenge/requirements';
import { TakenChannels } from './channel-wire';
import type { Channel } from './channel.entity';

/** A facilitator without channels may support them later. */
const ASK_AGAIN_MS = 60_000;
const ASK_AGAIN_AFTER_FAILURE_MS = 5_000;

/** The fields that the offers of both schemes share. */
type CommonOffer = Omit<Requirement, 'scheme'>;

/** The conditions of channels on a network, after the facilitator has confirmed that it runs channels. */
export interface Terms {
  readonly on: X402Network;
  readonly access: ChannelAccess;
  readonly kind: SupportedKind;
  /** The wallet that authorises claims and refunds. */
  readonly authorizer: WalletAddress;
  readonly scheme: BatchSettlementEvmScheme;
}

interface Known {
  readonly terms: Terms | undefined;
  /** Whether the facilitator or its node gave no answer. */
  readonly isUncertain?: boolean;
  readonly until: number;
}

/** Knows which networks offer channels, and makes the offers by channel for a 402. */
@Injectable()
export class ChannelTerms {
  private readonly logger = new Logger(ChannelTerms.name);
  private readonly known = new Map<string, Known>();
  private readonly outages = new Map<string, Outage>();
  private readonly asking = new Map<string, Promise<Terms | undefined>>();

  constructor(
    private readonly facilitators: Facilitators,
    private readonly background: BackgroundWork,
    @Inject(SETTINGS) private readonly settings: X402Settings & ChannelSettings,
  ) {}

  /** Whether some network offers channels. A network counts if its facilitator may, and has not been asked yet. */
  get isOffered(): boolean {
    return this.settings.x402.networks.some(({ network }) => {
      if (!this.isPossibleOn(network)) return false;
      const answer = this.answerOf(network);
      return answer === undefined || answer.terms !== undefined;
    });
  }

  /** Whether a network may offer channels although it is not known to, because its facilitator gave no answer. */
  get isUncertain(): boolean {
    return this.settings.x402.networks.some(({ network }) => this.isUncertainOn(network));
  }

  isUncertainOn(network: string): boolean {
    return this.known.get(network)?.isUncertain === true;
  }

  /** Undefined while the network does not offer channels. Only the first request waits for the facilitator. */
  async current(network: string): Promise<Terms | undefined> {
    if (!this.isPossibleOn(network)) return undefined;
    const answer = this.answerOf(network);
    return answer === undefined ? this.ask(network) : answer.terms;
  }

  private isPossibleOn(network: string): boolean {
    return this.settings.x402.channels.offered && this.facilitators.on(network).channels !== undefined;
  }

  /** The last answer of the facilitator. An answer without terms is renewed after a while. */
  private answerOf(network: string): Known | undefined {
    const known = this.known.get(network);
    if (known !== undefined && known.terms === undefined && performance.now() > known.until)
      this.background.detach('Asking the facilitator about channels', () => this.ask(network));
    return known;
  }

  /** The terms of all networks that offer channels now. */
  async all(): Promise<Terms[]> {
    const { networks } = this.settings.x402;
    const terms = await Promise.all(networks.map(({ network }) => this.current(network)));
    return terms.filter((one) => one !== undefined);
  }

  /** The offer by channel that a 402 adds to the given offer; empty while the network offers no channels. */
  async offer(
    { network, amount, asset, payTo, maxTimeoutSeconds, extra }: CommonOffer,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<PaymentRequirements[]> {
    const terms = await this.current(network);
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
  async requirements(amount: string, network: string): Promise<PaymentRequirements | undefined> {
    const on = networkIn(this.settings.x402, network);
    if (on === undefined) return undefined;
    const [offer] = await this.offer({
      network,
      amount,
      asset: checksummed(on.asset),
      payTo: checksummed(on.payTo),
      maxTimeoutSeconds: 300,
      extra: { ...on.domain },
    });
    return offer;
  }

  /** The scheme of the published package on the given storage. It signs with our key if the settings have one. */
  schemeOn({ payTo }: X402Network, storage?: ChannelStorage): BatchSettlementEvmScheme {
    const { channels } = this.settings.x402;
    return new BatchSettlementEvmScheme(checksummed(payTo) as `0x${string}`, {
      storage,
      withdrawDelay: channels.withdrawSeconds,
      receiverAuthorizerSigner: channels.key && privateKeyToAccount(channels.key),
    });
  }

  /** The manager of the published package for these channels. Every settlement is added to `answers`. */
  managerOf(
    on: X402Network,
    channels: readonly Channel[],
    mover: FacilitatorClient,
    answers: SettleResponse[],
    token: WalletAddress = on.asset,
  ) {
    const client = {
      ...mover,
      settle: async (...args: Parameters<typeof mover.settle>) => {
        const answer = await mover.settle(...args);
        answers.push(answer);
        return answer;
      },
    };
    return this.schemeOn(on, new TakenChannels(channels)).createChannelManager(
      client,
      on.network as PaymentRequirements['network'],
      token,
    );
  }

  private ask(network: string): Promise<Terms | undefined> {
    return getOrMake(this.asking, network, () =>
      this.askNow(network).finally(() => {
        this.asking.delete(network);
      }),
    );
  }

  private async askNow(name: string): Promise<Terms | undefined> {
    const network = networkIn(this.settings.x402, name)!;
    try {
      const terms = await this.termsOf(network, this.facilitators.on(name).channels!);
      this.known.set(name, { terms, until: performance.now() + ASK_AGAIN_MS });
      this.outageOf(name).worked();
      return terms;
    } catch (error) {
      this.outageOf(name).failed(error);
      this.known.set(name, {
        terms: undefined,
        isUncertain: true,
        until: performance.now() + ASK_AGAIN_AFTER_FAILURE_MS,
      });
      return undefined;
    }
  }

  /** Requests may ask every few seconds, and the log has one line for each outage. */
  private outageOf(network: string): Outage {
    const name = `Asking the facilitator of ${network} about channels`;
    return getOrMake(this.outages, network, () => new Outage(name, this.logger));
  }

  private async termsOf(on: X402Network, access: ChannelAccess): Promise<Terms | undefined> {
    const { network } = on;
    const [{ kinds }, isThere] = await Promise.all([access.client.getSupported(), access.isThere()]);
    const kind = Array.isArray(kinds)
      ? kinds.find((known) => known.scheme === BATCH_SETTLEMENT_SCHEME && known.network === network)
      : undefined;
    if (kind === undefined || !isThere) return undefined;
    const scheme = this.schemeOn(on);
    const problem = scheme.validateFacilitatorSupport(kind.network, kind, []);
    const named = scheme.getReceiverAuthorizerSigner()?.address ?? kind.extra?.['receiverAuthorizer'];
    const authorizer = parseWallet(typeof named === 'string' ? named : '');
    if (problem !== undefined || authorizer === undefined) {
      this.logger.warn(
        'The facilitator runs channels but signs no claims. Set X402_CHANNEL_KEY to offer them.',
      );
      return undefined;
    }
    return { on, access, kind, authorizer, scheme };
  }
}
