import type { Micro } from '#kernel/money';
import type { PriceSettings } from '#models/catalog/prices.settings';

/** A deposit must be worth its transaction. It must cover ten of the cheapest calls, or the whole price of its call. */
const DEPOSIT_CALLS_MIN = 10n;

export const isDepositTooSmall = (
  deposit: Micro,
  callPrice: bigint,
  { chatFloor }: PriceSettings['price'],
): boolean => deposit < chatFloor * DEPOSIT_CALLS_MIN && deposit < callPrice;
