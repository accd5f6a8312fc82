import { type ErrorExtras, defineError } from '#kernel/app-error';
import { errorCode } from '#kernel/error-code';
import { type Micro, usdText } from '#kernel/money';

export const INSUFFICIENT_FUNDS = errorCode('INSUFFICIENT_FUNDS', 'payment_required', {
  means:
    'The balance, or the USDC of the wallet, does not cover the price. Some routes are only for owners who have paid before.',
  remedy:
    'Add money at `topUp`, then send the same call again. A wallet may also pay this one call with x402: the header has the requirements.',
});

/** The price of a call. A call that is charged by usage begins with it, and may cost up to `most`. */
export interface Cost {
  readonly price: Micro;
  readonly most?: Micro;
}

const costWords = ({ price, most }: Cost): string =>
  most === undefined
    ? `This call costs $${usdText(price)}.`
    : most > price
      ? `This call begins with $${usdText(price)} and may cost up to $${usdText(most)}.`
      : `This call may cost up to $${usdText(most)}.`;

/** About a large body that has not arrived, so its price is not known. */
const leastWords = (least: Micro): string => `A call of this size needs at least $${usdText(least)}.`;

const balanceWords = (needs: string, balance: Micro, { links }: Pick<ErrorExtras, 'links'>): string => {
  const where = links?.['topUp'] === undefined ? 'Top up' : `Top up at ${links['topUp']}`;
  return `The balance is $${usdText(balance)}. ${needs} ${where}, then send it again.`;
};

const limitWords = (needs: string, left: Micro, manageKeys: string): string =>
  `The key may spend $${usdText(left)} more. ${needs} Raise its limit at ${manageKeys}, or use another key.`;

/** Agents show only the message, so it also has the page. */
export const shortWords = (cost: Cost, balance: Micro, extras: Pick<ErrorExtras, 'links'>): string =>
  balanceWords(costWords(cost), balance, extras);

/** The words of a balance that pays no call with a large body. */
export const leastShortWords = (least: Micro, balance: Micro, extras: Pick<ErrorExtras, 'links'>): string =>
  balanceWords(leastWords(least), balance, extras);

/** The words of a key at its limit, which no top-up changes. */
export const shortLimitWords = (cost: Cost, left: Micro, manageKeys: string): string =>
  limitWords(costWords(cost), left, manageKeys);

export const leastShortLimitWords = (least: Micro, left: Micro, manageKeys: string): string =>
  limitWords(leastWords(least), left, manageKeys);

export class InsufficientFunds extends defineError(
  INSUFFICIENT_FUNDS,
  (
    price: Micro,
    balance: Micro,
    extras: ErrorExtras,
    message: string = shortWords({ price }, balance, extras),
  ) => ({ message, ...extras }),
) {}

/** The member with the session, or the maker of the key, has spent the budget of this month. */
export const MemberBudgetSpent = defineError(
  errorCode('MEMBER_BUDGET', 'payment_required', {
    means:
      'The organisation has the money, but the member who has the session, or made the key, has spent the budget of this month.',
    remedy: 'An owner or an admin raises the budget. A new month (UTC) begins at 0.',
  }),
  (what: string = 'This call would exceed the budget of its member for this month') =>
    `${what}. Ask an owner or an admin of the organisation to raise it, or wait for the next month (UTC).`,
);

export const KeySpendLimit = defineError(
  errorCode('KEY_SPEND_LIMIT', 'payment_required', {
    means: 'The account has the money, but this key, or one above it, may not spend that much.',
    remedy:
      'Raise the limit of the key at `manageKeys`, take another key, or wait until old spending no longer counts.',
  }),
  (
    manageKeys: string,
    message: string = `This call would exceed the limit of the key, or of one above it. Raise the limit at ${manageKeys}, or use another key.`,
  ) => ({ message, links: { manageKeys } }),
);
