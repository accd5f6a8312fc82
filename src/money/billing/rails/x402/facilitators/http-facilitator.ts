import { setTimeout as pause } from 'node:timers/promises';

import type { PaymentPayload, PaymentRequirements, SupportedResponse } from '@x402/core/types';

import { deadlineIn } from '#kernel/deadline';
import { type Fields, isFields, jsonIn } from '#kernel/json';
import type { Micro } from '#kernel/money';
import { OutsideFailure } from '#kernel/outside-failure';
import { type WalletAddress, parseWallet } from '#kernel/wallet-address';
import { OriginClient } from '#platform/http/outgoing/origin-client';
import type { PartState } from '#platform/health/health-parts';
import {
  type ChainOutcome,
  type ChainView,
  type ChannelAccess,
  Facilitator,
  type Misfit,
  type SettleAttempt,
  type Verdict,
} from './facilitator';
import type { ClaimedPayment, SignedPayment } from '../proof/signed-payment';
import { Chain } from './chain';
import { channelState, hasChannels } from './channel-chain';
import { faultOfReason } from './fault-of-reason';
import { wirePayment } from './wire-payment';
import type { X402Settings } from '../x402.settings';

/**
 * A settlement waits for a block. The limit is below the lease of 30 seconds, so no other process takes the charge over
 * meanwhile.
 */
const TIMEOUTS_MS = { verify: 8_000, settle: 20_000, supported: 900 };
const ANSWER_BYTES_MAX = 64 * 1024;
const CONNECTIONS_MAX = 256;
/** The number and the interval of the questions to the chain that confirm the facilitator's answer. */
const CONFIRM_TRIES = 6;
const CONFIRM_EVERY_MS = 500;

/**
 * These statuses say nothing about the payment. The service follows no redirect, because a redirect would get the
 * signature.
 */
const NO_ANSWERS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308, 401, 403, 404, 429]);

const JSON_ONLY = { accept: 'application/json', 'content-type': 'application/json' };

type Answer = Fields;

/** The facilitator gave no usable answer. The error leaves out the text of the answer, which may contain secrets. */
class NoAnswer extends OutsideFailure {
  constructor(what: string) {
    super(`The facilitator gave no usable answer (${what}).`);
    this.name = 'NoAnswer';
  }
}

/**
 * Calls any x402 facilitator. With a node of ours it believes the chain, and without a node it believes the
 * facilitator.
 */
export class HttpFacilitator extends Facilitator {
  readonly isPlay = false;
  readonly paysGas = false;
  readonly forgets: boolean;
  readonly seesBalances: boolean;
  private readonly url: URL;
  private readonly http: OriginClient;
  private readonly chain: Chain | undefined;

  constructor(
    private readonly settings: X402Settings['x402'],
    private readonly timeoutsMs: typeof TIMEOUTS_MS = TIMEOUTS_MS,
  ) {
    super();
    if (settings.facilitatorUrl === undefined) throw new Error('The http facilitator needs an address.');
    this.url = new URL(`${settings.facilitatorUrl.replace(/\/+$/, '')}/`);
    this.http = new OriginClient(this.url, { connections: CONNECTIONS_MAX, connectMsMax: timeoutsMs.verify });
    this.chain = settings.rpcUrls.length === 0 ? undefined : new Chain(settings);
    this.forgets = this.chain !== undefined;
    this.seesBalances = this.forgets;
  }

  override get channels(): ChannelAccess {
    const { chain } = this;
    return {
      client: {
        verify: (payload, requirements) => this.askAbout('verify', payload, requirements),
        settle: (payload, requirements) => this.askAbout('settle', payload, requirements),
        getSupported: () => this.ask('supported') as unknown as Promise<SupportedResponse>,
      },
      stateOf: chain && ((channelId) => channelState(chain, channelId)),
      isThere: () => (chain === undefined ? Promise.resolve(true) : hasChannels(chain)),
    };
  }

  async verify(payment: SignedPayment): Promise<Verdict> {
    let answer: Answer;
    try {
      answer = await this.post('verify', payment);
    } catch {
      return { outcome: 'unavailable' };
    }
    const { isValid, payer, invalidReason } = answer;
    if (isValid === true)
      return this.isAbout(payment, payer) ? { outcome: 'valid' } : { outcome: 'unavailable' };
    if (isValid !== false || typeof invalidReason !== 'string') return { outcome: 'unavailable' };
    // We have verified the signature, so "bad signature" is an error of the facilitator.
    const fault = faultOfReason(invalidReason);
    const blind =
      fault === 'invalid_signature' || /unexpected|unavailable|timeout|internal/.test(invalidReason);
    return blind ? { outcome: 'unavailable' } : { outcome: 'refused', fault };
  }

  async settle(payment: ClaimedPayment): Promise<SettleAttempt> {
    let answer: Answer;
    try {
      answer = await this.post('settle', payment);
    } catch (error) {
      return { outcome: 'unknown', why: error instanceof NoAnswer ? 'no_answer' : 'unreachable' };
    }
    const { success, transaction, network, payer, amount, errorReason } = answer;
    if (success === false && typeof errorReason === 'string') {
      const pending = /pending|timeout|unexpected|unknown|internal/.test(errorReason);
      return pending || (typeof transaction === 'string' && transaction !== '')
        ? { outcome: 'unknown', why: 'pending' }
        : { outcome: 'refused', fault: faultOfReason(errorReason) };
    }
    const sound =
      success === true &&
      typeof transaction === 'string' &&
      /^0x[0-9a-fA-F]{64}$/.test(transaction) &&
      network === payment.network &&
      this.isAbout(payment, payer) &&
      (amount === undefined || amount === payment.amount.toString());
    if (!sound) return { outcome: 'unknown', why: 'strange_answer' };
    return this.chain === undefined
      ? { outcome: 'settled', transaction, logIndex: 0 }
      : this.confirmed(payment);
  }

  outcome(payment: ClaimedPayment, view?: ChainView): Promise<ChainOutcome> {
    return this.chain === undefined
      ? Promise.resolve({ outcome: 'unknown' })
      : this.chain.outcome(payment, view);
  }

  balanceOf(wallet: WalletAddress): Promise<Micro | undefined> {
    return this.chain === undefined ? Promise.resolve(undefined) : this.chain.balanceOf(wallet);
  }

  override contractAccepts(payment: SignedPayment): Promise<boolean | undefined> {
    return this.chain === undefined ? Promise.resolve(undefined) : this.chain.contractAccepts(payment);
  }

  override async misfit(): Promise<Misfit | undefined> {
    return this.chain?.misfit();
  }

  override recentBlock(): Promise<bigint | undefined> {
    return this.chain === undefined ? Promise.resolve(undefined) : this.chain.recentBlock();
  }

  async state(): Promise<PartState> {
    await this.chain?.currentBlock();
    if (this.chain !== undefined && !(await this.chain.isOurs())) return 'down';
    const { kinds } = await this.ask('supported');
    const supported =
      Array.isArray(kinds) &&
      (kinds as Answer[]).some(
        (kind) => kind['scheme'] === 'exact' && kind['network'] === this.settings.network,
      );
    return supported ? 'ok' : 'down';
  }

  /** Finds the transaction on the chain. It may differ from the transaction that the facilitator named. */
  private async confirmed(payment: ClaimedPayment): Promise<SettleAttempt> {
    for (let left = CONFIRM_TRIES; left > 0; left -= 1) {
      const truth = await this.outcome(payment).catch(() => undefined);
      if (truth?.outcome === 'settled') return truth;
      if (left > 1) await pause(CONFIRM_EVERY_MS);
    }
    return { outcome: 'unknown', why: 'unconfirmed' };
  }

  private isAbout(payment: SignedPayment, payer: unknown): boolean {
    return payer === undefined || (typeof payer === 'string' && parseWallet(payer) === payment.payer);
  }

  private post(path: 'verify' | 'settle', payment: SignedPayment): Promise<Answer> {
    const { payload, requirement } = wirePayment(payment, this.settings);
    return this.askAbout(path, payload, requirement);
  }

  private askAbout<T = Answer>(
    path: 'verify' | 'settle',
    paymentPayload: PaymentPayload,
    paymentRequirements: PaymentRequirements,
  ): Promise<T> {
    const body = { x402Version: 2, paymentPayload, paymentRequirements };
    return this.ask(path, JSON.stringify(body)) as Promise<T>;
  }

  private async ask(path: keyof typeof TIMEOUTS_MS, body?: string): Promise<Answer> {
    const msMax = this.timeoutsMs[path];
    const { status, bytes, isCut } = await this.http.ask({
      path: this.url.pathname + path,
      method: body === undefined ? 'GET' : 'POST',
      // Each call reads the headers from the settings, because they may change while the service runs.
      headers: { ...this.settings.facilitatorHeaders, ...JSON_ONLY },
      body,
      signal: deadlineIn(msMax / 1_000),
      headersMsMax: msMax,
      silenceMsMax: msMax,
      bytesMax: ANSWER_BYTES_MAX,
    });
    if (isCut) throw new NoAnswer('too large');
    // A refusal often comes as 400 or 402 with the usual body. A server error says nothing about the payment.
    if (status >= 500 || status < 200 || NO_ANSWERS.has(status)) throw new NoAnswer(`status ${status}`);
    return parsed(bytes.toString('utf8'));
  }
}

const parsed = (text: string): Answer => {
  const value = jsonIn(text);
  if (!isFields(value)) throw new NoAnswer(value === undefined ? 'no JSON' : 'no object');
  return value;
};
