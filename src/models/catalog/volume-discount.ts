import { type Micro, ceilDiv, larger, micro } from '#kernel/money';

/** Volume tiers, by the USDC that a wallet has paid in on chain. Each tier includes the amount at which it begins. */
export const TIERS: readonly { readonly from: Micro; readonly percent: number }[] = [
  { from: micro(2_000_000_000n), percent: 15 },
  { from: micro(500_000_000n), percent: 10 },
  { from: micro(100_000_000n), percent: 5 },
];

export const tierPercent = (paidIn: Micro): number => TIERS.find((tier) => paidIn >= tier.from)?.percent ?? 0;

/** A discount never takes a price below its floor. */
export const discounted = (list: Micro, percent: number, floor: Micro): Micro =>
  percent === 0 ? list : larger(floor, micro(ceilDiv(list * BigInt(100 - percent), 100n)));
