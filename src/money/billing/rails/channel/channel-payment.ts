import type { IncomingHttpHeaders } from 'node:http';

import {
  BATCH_SETTLEMENT_DOMAIN,
  BATCH_SETTLEMENT_ADDRESS,
  BATCH_SETTLEMENT_SCHEME,
  voucherTypes,
} from '@x402/evm';
import { computeChannelId } from '@x402/evm/batch-settlement/client';
import type { PaymentPayload } from '@x402/core/types';

import { type Micro, micro } from '#kernel/money';
import { type WalletAddress, checksummed, parseWallet } from '#kernel/wallet-address';
import { type Fields, isFields } from '#kernel/json';
import { getOrMake } from '#kernel/maps';
import { decoded, paymentHeaderOf, recordIn, signatureIn, textOf } from '../x402/proof/payment-header';
import { domainSeparator, hashText, typedDigest, word } from '../x402/proof/authorization-digest';
import type { Hex } from '../x402/proof/signed-payment';

export const ZERO_WALLET = `0x${'0'.repeat(40)}` as WalletAddress;

/** Amounts stay below 2^53, so a JSON number represents each of them exactly. */
const MICRO_MAX = 9_007_199_254_740_991n;

/** The parameters of a channel. Their hash is the channel's id. */
export interface ChannelConfig {
  readonly payer: WalletAddress;
  readonly payerAuthorizer: WalletAddress;
  readonly receiver: WalletAddress;
  readonly receiverAuthorizer: WalletAddress;
  readonly token: WalletAddress;
  readonly withdrawDelay: number;
  readonly salt: Hex;
}

/** A payment by channel as its header contains it, not yet verified. */
export interface ChannelPayment {
  readonly kind: 'voucher' | 'deposit' | 'refund';
  readonly network: string;
  readonly channelId: Hex;
  readonly config: ChannelConfig;
  /** The highest total that the receiver may claim from the channel. */
  readonly signed: Micro;
  readonly signature: Hex;
  /** The amount of a deposit or of a refund. */
  readonly amount?: Micro;
  readonly accepted: { readonly amount: string; readonly asset: string; readonly payTo: string };
  /** Our quote with its MAC, which the client returns. */
  readonly quote?: string;
  /** The authorization of a deposit; only the facilitator reads it. */
  readonly deposit?: Readonly<Record<string, unknown>>;
}

const textIn = (fields: Fields | undefined, key: string): string => textOf(fields, key) ?? '';

const sumOf = (text: string): Micro | undefined => {
  const value = /^(0|[1-9]\d{0,15})$/.test(text) ? BigInt(text) : undefined;
  return value === undefined || value > MICRO_MAX ? undefined : micro(value);
};

const hexOf = (text: string, bytes: number): Hex | undefined =>
  text.length === 2 + bytes * 2 && /^0x[0-9a-fA-F]+$/.test(text) ? (text.toLowerCase() as Hex) : undefined;

/** Whether the payment in the headers names this scheme, even if it is malformed. */
export const isByChannel = (headers: IncomingHttpHeaders): boolean => isOfScheme(rawIn(headers));

/** Caches decoded payments, because several steps read the headers of one request. */
const read = new WeakMap<IncomingHttpHeaders, { readonly raw: Fields | undefined }>();

const rawIn = (headers: IncomingHttpHeaders): Fields | undefined => {
  const known = read.get(headers);
  if (known !== undefined) return known.raw;
  const value = decoded(paymentHeaderOf(headers) ?? '');
  const raw = isFields(value) ? value : undefined;
  read.set(headers, { raw });
  return raw;
};

const isOfScheme = (raw: Fields | undefined): boolean =>
  textIn(recordIn(raw, 'accepted'), 'scheme') === BATCH_SETTLEMENT_SCHEME;

const configIn = (fields: Fields | undefined): ChannelConfig | undefined => {
  const wallet = (key: string): WalletAddress | undefined => parseWallet(textIn(fields, key));
  const [payer, payerAuthorizer, receiver] = [wallet('payer'), wallet('payerAuthorizer'), wallet('receiver')];
  const [receiverAuthorizer, token] = [wallet('receiverAuthorizer'), wallet('token')];
  const salt = hexOf(textIn(fields, 'salt'), 32);
  const withdrawDelay = fields?.['withdrawDelay'];
  if (payer === undefined || payerAuthorizer === undefined || receiver === undefined) return undefined;
  if (receiverAuthorizer === undefined || token === undefined || salt === undefined) return undefined;
  if (typeof withdrawDelay !== 'number' || !Number.isSafeInteger(withdrawDelay) || withdrawDelay < 0)
    return undefined;
  return { payer, payerAuthorizer, receiver, receiverAuthorizer, token, withdrawDelay, salt };
};

const KINDS = ['voucher', 'deposit', 'refund'] as const;

/** The payment of this scheme in the headers; undefined if it is malformed. */
export const readChannelPayment = (headers: IncomingHttpHeaders): ChannelPayment | undefined => {
  const raw = rawIn(headers);
  const payload = recordIn(raw, 'payload');
  const accepted = recordIn(raw, 'accepted');
  if (raw?.['x402Version'] !== 2 || !isOfScheme(raw)) return undefined;
  const kind = KINDS.find((name) => name === payload?.['type']);
  const config = configIn(recordIn(payload, 'channelConfig'));
  const voucher = recordIn(payload, 'voucher');
  const channelId = hexOf(textIn(voucher, 'channelId'), 32);
  const signed = sumOf(textIn(voucher, 'maxClaimableAmount'));
  const signature = signatureIn(textIn(voucher, 'signature').toLowerCase());
  if (kind === undefined || config === undefined || channelId === undefined) return undefined;
  if (signed === undefined || signature === undefined) return undefined;
  const deposit = recordIn(payload, 'deposit');
  const amountText = kind === 'deposit' ? textIn(deposit, 'amount') : textIn(payload, 'amount');
  const amount = sumOf(amountText);
  const needsAmount = kind === 'deposit' || payload?.['amount'] !== undefined;
  if (needsAmount && (amount === undefined || amount === 0n)) return undefined;
  return {
    kind,
    network: textIn(accepted, 'network'),
    channelId,
    config,
    signed,
    signature,
    amount,
    accepted: {
      amount: textIn(accepted, 'amount'),
      asset: textIn(accepted, 'asset'),
      payTo: textIn(accepted, 'payTo'),
    },
    quote: textIn(recordIn(accepted, 'extra'), 'quote') || undefined,
    deposit: kind === 'deposit' ? recordIn(deposit, 'authorization') : undefined,
  };
};

/** The parameters in the form of the published package. */
export const wireConfig = (config: ChannelConfig) => ({
  payer: checksummed(config.payer) as Hex,
  payerAuthorizer: checksummed(config.payerAuthorizer) as Hex,
  receiver: checksummed(config.receiver) as Hex,
  receiverAuthorizer: checksummed(config.receiverAuthorizer) as Hex,
  token: checksummed(config.token) as Hex,
  withdrawDelay: config.withdrawDelay,
  salt: config.salt,
});

export const channelIdOf = (config: ChannelConfig, network: string): Hex =>
  computeChannelId(wireConfig(config), network).toLowerCase() as Hex;

const VOUCHER_TYPE = hashText(
  `Voucher(${voucherTypes.Voucher.map(({ type, name }) => `${type} ${name}`).join(',')})`,
);

/** The domain separator of the channels on each chain. */
const separators = new Map<number, Buffer>();

const separatorOf = (chainId: number): Buffer =>
  getOrMake(separators, chainId, () =>
    domainSeparator(
      BATCH_SETTLEMENT_DOMAIN,
      chainId,
      BATCH_SETTLEMENT_ADDRESS.toLowerCase() as WalletAddress,
    ),
  );

export const voucherDigest = (chainId: number, channelId: Hex, signed: Micro): Buffer =>
  typedDigest(separatorOf(chainId), VOUCHER_TYPE, [word(channelId), word(signed)]);

type Requirements = PaymentPayload['accepted'];

/** The payment in the form that facilitators take. It contains only verified fields. */
export const wireChannelPayment = (payment: ChannelPayment, requirements: Requirements): PaymentPayload => {
  const { kind, config, channelId, signed, signature, amount, deposit } = payment;
  return {
    x402Version: 2,
    accepted: requirements,
    payload: {
      type: kind,
      channelConfig: wireConfig(config),
      voucher: { channelId, maxClaimableAmount: signed.toString(), signature },
      ...(kind === 'deposit' && { deposit: { amount: amount!.toString(), authorization: deposit } }),
      ...(kind === 'refund' && amount !== undefined && { amount: amount.toString() }),
    },
  };
};
