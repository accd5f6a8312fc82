import type { SignedPayment } from './budget-journal.ts';
import type { LamppostError } from './errors.ts';
import { type Requirement, chosenOf } from './offer.ts';
import type { Payable } from './payable.ts';
import type { Headers } from './sender.ts';

type Hex = `0x${string}`;

/** A signer: an account of viem (`privateKeyToAccount`), or any object with the same methods. */
export interface Signer {
  readonly address: Hex;
  signMessage(parameters: { readonly message: string }): Promise<Hex>;
  signTypedData(parameters: TypedPayment): Promise<Hex>;
}

interface TypedPayment {
  readonly domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
    readonly verifyingContract: Hex;
  };
  readonly types: {
    readonly TransferWithAuthorization: readonly { readonly name: string; readonly type: string }[];
  };
  readonly primaryType: 'TransferWithAuthorization';
  readonly message: {
    readonly from: Hex;
    readonly to: Hex;
    readonly value: bigint;
    readonly validAfter: bigint;
    readonly validBefore: bigint;
    readonly nonce: Hex;
  };
}

export interface Required {
  readonly x402Version: number;
  readonly resource: object;
  readonly accepts: readonly Requirement[];
  readonly extensions?: object;
}

const TRANSFER = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const;
/** The start of a signature's validity is this far in the past, because clocks differ. */
const BACKDATED_SECONDS = 600;
/** The longest validity that the client signs. No call takes longer, and a service may request less. */
const VALID_SECONDS_MAX = 600;

export const toBase64 = (value: object): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
export const fromBase64 = (text: string): unknown =>
  JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text), (char) => char.charCodeAt(0))));

const randomHex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/** The requirements of a 402 that x402 can pay. */
export const readRequired = (refusal: LamppostError): Required | undefined => {
  const text = refusal.headers.get('payment-required');
  try {
    const required = text === null ? undefined : (fromBase64(text) as Required);
    return Array.isArray(required?.accepts) ? required : undefined;
  } catch {
    return undefined;
  }
};

/** A transfer before its signature. */
export interface Transfer {
  readonly accepted: Requirement;
  readonly message: TypedPayment['message'];
}

/** A payment before its signature, with the values for its budget. */
interface Draft extends Transfer {
  readonly micro: number;
  readonly payment: SignedPayment;
  readonly resource: object;
}

/** Prepares the payment of a call that was refused with 402. Throws the refusal if the client may sign no offer. */
export const draftFor = (refusal: LamppostError, from: Hex, payable: Payable): Draft => {
  const { accepts = [], resource = {} } = readRequired(refusal) ?? {};
  const { offer: accepted, objections } = chosenOf(accepts, payable);
  if (accepted === undefined) {
    refusal.message += ` Nothing was signed: ${objections.join('; ') || 'it offers no way to pay'}.`;
    throw refusal;
  }
  const { message } = transferFor(accepted, from);
  const { network, asset } = accepted;
  const payment = { network, asset, from, nonce: message.nonce, validBefore: Number(message.validBefore) };
  return { accepted, message, micro: Number(accepted.amount), payment, resource };
};

/** The headers that pay a call. */
export const sign = async (draft: Draft, signer: Signer): Promise<Headers> => {
  const { accepted, resource } = draft;
  const payload = { x402Version: 2, resource, accepted, payload: await authorize(draft, signer) };
  return { 'PAYMENT-SIGNATURE': toBase64(payload) };
};

/** The transfer for a requirement. Its validity is limited, even if the requirement asks for a longer one. */
export const transferFor = (accepted: Requirement, from: Hex): Transfer => {
  const now = Math.floor(Date.now() / 1_000);
  const seconds = Math.min(Math.ceil(accepted.maxTimeoutSeconds), VALID_SECONDS_MAX);
  const message = {
    from,
    // Some 402s contain addresses with wrong capital letters, which a signer would refuse.
    to: accepted.payTo.toLowerCase() as Hex,
    value: BigInt(accepted.amount),
    validAfter: BigInt(now - BACKDATED_SECONDS),
    validBefore: BigInt(now + seconds),
    nonce: `0x${randomHex(32)}` as const,
  };
  return { accepted, message };
};

/** A signed transfer. It moves nothing until somebody settles it. */
export const authorize = async (
  { accepted, message }: Transfer,
  signer: Signer,
): Promise<{ readonly signature: Hex; readonly authorization: object }> => {
  const signature = await signer.signTypedData({
    domain: {
      name: accepted.extra?.name ?? 'USD Coin',
      version: accepted.extra?.version ?? '2',
      chainId: Number(accepted.network.split(':')[1]),
      verifyingContract: accepted.asset.toLowerCase() as Hex,
    },
    types: { TransferWithAuthorization: TRANSFER },
    primaryType: 'TransferWithAuthorization',
    message,
  });
  const { from, nonce } = message;
  const authorization = {
    from,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: String(message.validAfter),
    validBefore: String(message.validBefore),
    nonce,
  };
  return { signature, authorization };
};

const SIGN_IN_MS = 5 * 60_000;
const RENEWED_BEFORE_MS = 30_000;

/** Proves a wallet for five minutes. All calls in this time use the same signature. */
export class SignIn {
  private header: Promise<string> | undefined;
  private until = 0;

  constructor(
    private readonly signer: Signer,
    private readonly baseUrl: URL,
    private readonly chainId: number,
  ) {}

  async headers(): Promise<Headers> {
    if (this.header === undefined || Date.now() > this.until - RENEWED_BEFORE_MS) {
      this.until = Date.now() + SIGN_IN_MS;
      this.header = this.sign(new Date());
      this.header.catch(() => (this.header = undefined)); // If the signer has refused, the next call asks it again.
    }
    return { 'Sign-In-With-X': await this.header };
  }

  /** Proves the wallet for one call that delegates its money, because that route accepts no general sign-in. */
  async headersFor(resource: string): Promise<Headers> {
    return { 'Sign-In-With-X': await this.sign(new Date(), `\nResources:\n- ${resource}`) };
  }

  private async sign(now: Date, resources = ''): Promise<string> {
    const { host, origin } = this.baseUrl;
    const message =
      `${host} wants you to sign in with your Ethereum account:\n${this.signer.address}\n\n` +
      `Pay from the balance of this wallet.\n\nURI: ${origin}\nVersion: 1\nChain ID: ${this.chainId}\n` +
      `Nonce: ${randomHex(8)}\nIssued At: ${now.toISOString()}${resources}`;
    return toBase64({ message, signature: await this.signer.signMessage({ message }) });
  }
}
