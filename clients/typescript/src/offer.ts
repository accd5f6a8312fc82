import { microIn } from './amounts.ts';
import type { Payable } from './payable.ts';

/** The requirement of a 402: one way to pay, in x402's form. */
export interface Requirement {
  readonly scheme: string;
  readonly network: string;
  readonly amount: string;
  readonly asset: `0x${string}`;
  readonly payTo: `0x${string}`;
  readonly maxTimeoutSeconds: number;
  readonly extra?: { readonly name?: string; readonly version?: string };
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** The longest validity that a service may request. An honest service needs only minutes. */
const ASKED_SECONDS_MAX = 86_400;

/** The reason why the client does not sign an offer; undefined if it may. The text may contain words of the service. */
const objectionTo = (offer: Requirement, payable: Payable, wanted = 'exact'): string | undefined => {
  const { scheme, network, amount, asset, payTo, maxTimeoutSeconds } = offer;
  // Any field may have any value, because the offer comes from outside.
  if (![scheme, network, amount, asset, payTo].every((field: unknown) => typeof field === 'string'))
    return 'it is no offer of x402';
  const token = asset.toLowerCase();
  if (scheme !== wanted) return `the scheme ${scheme} is not known here`;
  if (!payable.has(network)) return `the network ${network} is not one of yours`;
  if (microIn(amount) === undefined) return 'its amount is no number';
  if (!ADDRESS.test(payTo)) return 'its payee is no address';
  if (!(maxTimeoutSeconds > 0 && maxTimeoutSeconds <= ASKED_SECONDS_MAX))
    return 'it could be taken for over a day';
  return payable.takes(network, token)
    ? undefined
    : `${token} is not USDC on ${network}, and not named as a token that may be paid`;
};

/**
 * The offer to sign: the service's first offer on the network that the caller prefers. If the client may sign no offer,
 * the result has the reasons.
 */
export const chosenOf = <Offer extends Requirement>(
  offers: readonly Offer[],
  payable: Payable,
  wanted?: string,
): { readonly offer: Offer | undefined; readonly objections: readonly string[] } => {
  const objections: string[] = [];
  let best: Offer | undefined;
  for (const offer of offers) {
    const objection = objectionTo(offer, payable, wanted);
    if (objection !== undefined) objections.push(objection);
    else if (best === undefined || payable.rankOf(offer.network) < payable.rankOf(best.network)) best = offer;
  }
  return { offer: best, objections: [...new Set(objections)] };
};
