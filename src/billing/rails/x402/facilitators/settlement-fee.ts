import { type Micro, larger, micro } from '../../../../kernel/money';

const WEI_PER_NATIVE = 10n ** 18n;
/** A settlement may cost us a tenth of what it brings. */
const SHARE = 10n;

/** What the operator has said of the network's own coin; without a price nobody can tell what gas costs in dollars. */
export interface FeeRules {
  readonly nativeUsd: Micro | undefined;
  readonly feeFloor: Micro;
}

/** The most wei for which a payment is settled; undefined where there is no rule. */
export const weiMaxOf = (amount: Micro, { nativeUsd, feeFloor }: FeeRules): bigint | undefined => {
  if (nativeUsd === undefined) {
    return undefined;
  }
  return (larger(feeFloor, micro(amount / SHARE)) * WEI_PER_NATIVE) / nativeUsd;
};
