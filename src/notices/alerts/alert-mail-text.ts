import { accountLinks } from '#people/accounts/account-links';
import { micro, usdText } from '#kernel/money';
import type { AlertMail } from './alert-mail.entity';
import type { AlertType } from './alert.entity';

interface MailText {
  readonly subject: string;
  readonly text: string;
}

type Data = AlertMail['data'];

interface Words {
  readonly subject: string;
  readonly warning: string;
  readonly page: 'topUp' | 'manageKeys';
}

/** Formats an amount with only the necessary decimals: `0.83`, `1.00`, `0.004546`. */
const dollars = (amount: unknown): string =>
  `$${usdText(micro(BigInt(Number(amount)))).replace(/(\.\d\d\d*?)0+$/, '$1')}`;

/** Each period of a key's limit, in words. */
const LIMITED: Readonly<Record<string, string>> = {
  '30 days': 'for 30 days',
  day: 'for a day of UTC',
  month: 'for a month of UTC',
  total: 'for its whole life',
};

const CARD_REFUSALS: Readonly<Record<string, string>> = {
  declined: 'the bank declined it',
  authentication_needed: 'the bank wants you to confirm it',
  card_gone: 'the card is not valid any more',
};

/**
 * Names a key by its prefix. The mail contains no text of a caller, such as a key's name, because its address may
 * belong to a stranger.
 */
const WORDS: Readonly<Record<AlertType, (data: Data) => Words>> = {
  'balance.low': ({ balanceMicro, limitMicro }) => ({
    subject: 'Your balance is low',
    warning: `Your balance is ${dollars(balanceMicro)}, which is below ${dollars(limitMicro)}. Top it up:`,
    page: 'topUp',
  }),
  'top_up.failed': ({ amountMicro, reason, isOff }) => ({
    subject: isOff === true ? 'Automatic top-ups are off' : 'An automatic top-up failed',
    warning: `Your saved card was not charged ${dollars(amountMicro)} (${CARD_REFUSALS[String(reason)] ?? 'it failed'}). ${isOff === true ? 'Automatic top-ups are off now' : 'The service tries again in some hours'}. Check the card, or top up:`,
    page: 'topUp',
  }),
  'spend.high': ({ day, spentMicro, limitMicro }) => ({
    subject: 'A day of high spending',
    warning: `You have spent ${dollars(spentMicro)} on ${String(day)} (UTC); you asked for a warning at ${dollars(limitMicro)}. The billing page shows your spending:`,
    page: 'topUp',
  }),
  'key.limit_near': ({ prefix, percent, window, spentMicro, limitMicro }) => ({
    subject: `A key has spent ${String(percent)} % of its limit`,
    warning: `The key ${String(prefix)}… has spent ${dollars(spentMicro)} of its limit of ${dollars(limitMicro)} ${LIMITED[String(window)] ?? ''}. Raise the limit, or see what it does:`,
    page: 'manageKeys',
  }),
  'key.expiring': ({ prefix, expiresAt }) => ({
    subject: 'A key will expire',
    warning: `The key ${String(prefix)}… expires at ${String(expiresAt)}. Make another one in time:`,
    page: 'manageKeys',
  }),
};

/** The text of an alert, with a link to the page where its recipient can solve the problem. */
export const mailText = ({ type, data }: Pick<AlertMail, 'type' | 'data'>, publicUrl: string): MailText => {
  const { subject, warning, page } = WORDS[type](data);
  return {
    subject: `Lamppost: ${subject}`,
    text: [
      warning,
      accountLinks(publicUrl)[page],
      '',
      'You get this mail once. It can come again after the warning has ended.',
      `You can change your warnings on the page ${publicUrl}/account/billing`,
      '',
    ].join('\n'),
  };
};
