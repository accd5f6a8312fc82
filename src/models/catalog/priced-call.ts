import type { AppError } from '#kernel/app-error';
import type { Micro } from '#kernel/money';

/** A call with its list price, as billing, quotes and price locks use it. */
export interface PricedCall {
  readonly modelId: string;
  /** True for a model of a vendor's list. An alias that leads to it may have led to another model before. */
  readonly isListed?: boolean;
  /** True for a model that only callers on the operator's list may use. */
  readonly adultsOnly?: boolean;
  /** The kind of call, in a word of its route: a mode of media, `chat`, `studio`, `top_up`. */
  readonly mode: string;
  /** All values that the price depends on, in one line. Two calls with the same line and model cost the same. */
  readonly input: string;
  readonly list: Micro;
  /** No discount takes the price below this amount. */
  readonly floor: Micro;
  /** The expected cost at the provider. Undefined for text, because its real tokens are known only after the work. */
  readonly cost?: Micro;
  /** True if `cost` is the provider's present cost, false if it comes from the rate card. */
  readonly live: boolean;
  /** Set if the hold of a prepaid call begins with less than `list`, and grows with the work. */
  readonly growth?: {
    readonly first: Micro;
    /** The hold begins with this if the payer has less than `first`. */
    readonly least: Micro;
    /** The most that the call can cost. It may be above `list`, for a caller who states no limit. */
    readonly most: Micro;
  };
  /** Why no vendor may get a new call at the price that its payer pays. A repeated paid call is answered all the same. */
  readonly refusalAt?: (price: Micro) => AppError | undefined;
  /** The same call for an account, if accounts pay another price. Only a proven payer gets it (`price-class-of-payer.ts`). */
  readonly forAccounts?: PricedCall;
}

/** Throws if no vendor may get a new call at this price. */
export const requireVendorAt = ({ refusalAt }: Pick<PricedCall, 'refusalAt'>, price: Micro): void => {
  const refusal = refusalAt?.(price);
  if (refusal !== undefined) throw refusal;
};
