import type { IncomingHttpHeaders } from 'node:http';

import { type Fields, isFields, jsonInBase64 } from '#kernel/json';
import { micro } from '#kernel/money';
import { headerIn } from '#platform/http/credentials';
import { parseWallet } from '#kernel/wallet-address';
import { v1NameOf } from '../v1-network-names';
import type { PaymentFault } from './payment-fault-messages';
import type { Hex, OfferedPayment, SignedPayment } from './signed-payment';

/** The headers of a payment, in order of priority if a client sends several. */
export const PAYMENT_HEADERS = ['payment-signature', 'x-payment', 'x-402-payment'] as const;

/** A wrapped contract signature is below 8 KB; a longer one is abuse. */
export const HEADER_MAX = 40_000;
const SIGNATURE_MAX = 16_384;
const UINT256_MAX = 2n ** 256n - 1n;

export const paymentHeaderOf = (headers: IncomingHttpHeaders): string | undefined =>
  headerIn({ headers }, PAYMENT_HEADERS);

export type ReadPayment =
  | { readonly ok: true; readonly offer: OfferedPayment }
  | { readonly ok: false; readonly fault: PaymentFault };

export const fault = (reason: PaymentFault): ReadPayment => ({ ok: false, fault: reason });

export const textOf = (record: unknown, key: string): string | undefined => {
  const value = (record as Record<string, unknown> | null | undefined)?.[key];
  return typeof value === 'string' ? value : undefined;
};

export const recordIn = (record: unknown, key: string): Fields | undefined => {
  const value = (record as Record<string, unknown> | null | undefined)?.[key];
  return isFields(value) ? value : undefined;
};

/** Decimal digits of a uint256, without signs, spaces or leading zeros, so each amount has exactly one form. */
const wholeOf = (text: string | undefined): bigint | undefined => {
  const value = text !== undefined && /^(0|[1-9]\d{0,77})$/.test(text) ? BigInt(text) : undefined;
  return value === undefined || value > UINT256_MAX ? undefined : value;
};

/** The value of a payment's header; undefined if it is too long or no base64 of JSON. */
export const decoded = (header: string): unknown =>
  header.length <= HEADER_MAX && /^[A-Za-z0-9+/=_-]+$/.test(header) ? jsonInBase64(header) : undefined;

/**
 * A signature in lower case; undefined if the value is no signature. A `v` of 0 or 1 recovers the same wallet but fails
 * on chain, so this function converts it to 27 or 28.
 */
export const signatureIn = (signature: unknown): Hex | undefined => {
  if (typeof signature !== 'string' || signature.length > SIGNATURE_MAX) return undefined;
  if (!/^0x([0-9a-fA-F]{2})+$/.test(signature)) return undefined;
  const lower = signature.toLowerCase();
  const v = lower.length === 132 ? lower.slice(130) : '';
  return (v === '00' || v === '01' ? `${lower.slice(0, 130)}${v === '00' ? '1b' : '1c'}` : lower) as Hex;
};

/** The EIP-3009 part, which is the signed part. */
export const authorizationOf = (payload: Fields): Omit<SignedPayment, 'network' | 'asset'> | undefined => {
  const { authorization } = payload;
  const signature = signatureIn(payload['signature']);
  const payer = parseWallet(textOf(authorization, 'from') ?? '');
  const payTo = parseWallet(textOf(authorization, 'to') ?? '');
  const value = wholeOf(textOf(authorization, 'value'));
  const validAfter = wholeOf(textOf(authorization, 'validAfter'));
  const validBefore = wholeOf(textOf(authorization, 'validBefore'));
  const nonce = textOf(authorization, 'nonce') ?? '';
  if (payer === undefined || payTo === undefined || value === undefined) return undefined;
  if (validAfter === undefined || validBefore === undefined || !/^0x[0-9a-fA-F]{64}$/.test(nonce))
    return undefined;
  if (signature === undefined) return undefined;
  return {
    payer,
    payTo,
    amount: micro(value),
    validAfter,
    validBefore,
    nonce: nonce.toLowerCase() as Hex,
    signature,
  };
};

const paymentIdOf = (extensions: unknown): { readonly id?: string; readonly ok: boolean } => {
  const info = recordIn(recordIn(extensions, 'payment-identifier'), 'info');
  const id = info?.['id'];
  if (id === undefined || id === null) return { ok: true };
  return typeof id === 'string' && /^[A-Za-z0-9_-]{16,128}$/.test(id) ? { id, ok: true } : { ok: false };
};

/**
 * The offer that a client accepts. In version 2 the client returns one of our whole offers, and this function reads
 * only these fields.
 */
const requirementIn = (raw: object, version: 1 | 2) => {
  const requirement = version === 1 ? raw : recordIn(raw, 'accepted');
  const scheme = textOf(requirement, 'scheme');
  const network = textOf(requirement, 'network');
  if (scheme === undefined || network === undefined) return undefined;
  if (version === 1) return { scheme, network };
  const [amount, asset, payTo] = ['amount', 'asset', 'payTo'].map((key) => textOf(requirement, key));
  if (amount === undefined || asset === undefined || payTo === undefined) return undefined;
  return {
    scheme,
    network,
    accepted: { amount, asset, payTo },
    quote: textOf(recordIn(requirement, 'extra'), 'quote'),
  };
};

/** Reads a payment of either version. The fields have the right form but are not verified yet. */
export const readPayment = (
  header: string,
  networks: readonly Pick<SignedPayment, 'network' | 'asset'>[],
): ReadPayment => {
  const raw = decoded(header);
  if (typeof raw !== 'object' || raw === null) return fault('malformed');
  const version = (raw as { x402Version?: unknown }).x402Version;
  if (version !== 1 && version !== 2) return fault('unsupported_version');
  const requirement = requirementIn(raw, version);
  const payload = recordIn(raw, 'payload');
  if (requirement === undefined || payload === undefined) return fault('malformed');
  if (requirement.scheme !== 'exact') return fault('wrong_scheme');
  const taken = networks.find(
    ({ network }) => requirement.network === (version === 1 ? v1NameOf(network) : network),
  );
  if (taken === undefined) return fault('wrong_network');
  const authorization = authorizationOf(payload);
  if (authorization === undefined)
    return fault('permit2Authorization' in payload ? 'wrong_scheme' : 'malformed');
  const payment = { network: taken.network, asset: taken.asset, ...authorization };
  if (version === 1) return { ok: true, offer: { payment } };
  const paymentId = paymentIdOf(recordIn(raw, 'extensions'));
  if (!paymentId.ok) return fault('bad_payment_id');
  return {
    ok: true,
    offer: { payment, accepted: requirement.accepted, quote: requirement.quote, paymentId: paymentId.id },
  };
};
