import { type Micro, larger, micro } from '../../../../kernel/money';

const WEI_PER_NATIVE = 10n ** 18n;
/** A settlement may cost at most a tenth of its payment. */
const SHARE = 10n;

/** The operator's price of the network's coin. Without a price the cost of gas in dollars is unknown. */
export interface FeeRules {
  readonly nativeUsd: Micro | undefined;
  readonly feeFloor: Micro;
}

/** The most wei for the settlement of a payment; undefined without a limit. */
export const weiMaxOf = (amount: Micro, { nativeUsd, feeFloor }: FeeRules): bigint | undefined => {
  if (nativeUsd === undefined) {
    return undefined;
  }
  return (larger(feeFloor, micro(amount / SHARE)) * WEI_PER_NATIVE) / nativeUsd;
};
