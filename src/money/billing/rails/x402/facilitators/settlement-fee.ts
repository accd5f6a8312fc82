import { type Micro, larger, micro } from '#kernel/money';

const WEI_PER_NATIVE = 10n ** 18n;
/** A settlement may cost at most a tenth of its payment. */
const SHARE = 10n;

/**
 * The operator's limits of fees. Without `nativeUsd`, the price of the network's coin, the dollar cost of gas is
 * unknown.
 */
export interface FeeRules {
  readonly nativeUsd: Micro | undefined;
  readonly feeFloor: Micro;
}

/** Converts a cost in wei; undefined without a price of the coin. */
export const weiOf = (cost: Micro, { nativeUsd }: Pick<FeeRules, 'nativeUsd'>): bigint | undefined =>
  nativeUsd === undefined ? undefined : (cost * WEI_PER_NATIVE) / nativeUsd;

/** The most wei for the settlement of a payment; undefined without a limit. */
export const weiMaxOf = (amount: Micro, rules: FeeRules): bigint | undefined =>
  weiOf(larger(rules.feeFloor, micro(amount / SHARE)), rules);
