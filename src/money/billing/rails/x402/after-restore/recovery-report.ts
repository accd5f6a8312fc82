import { type Micro, micro, usdText } from '#kernel/money';
import type { Credit, Findings, ForgottenPayment } from './x402-recovery';

/** A transfer as a line of the report. */
export const lineOf = ({
  payer,
  amount,
  transaction,
}: Pick<ForgottenPayment, 'payer' | 'amount' | 'transaction'>): string =>
  `  ${usdText(amount)} USDC from ${payer} by ${transaction}`;

const sumOf = (transfers: readonly { readonly amount: Micro }[]): string =>
  `${usdText(micro(transfers.reduce((sum, { amount }) => sum + amount, 0n)))} USDC`;

export const outcomeOf = (credit: Credit): string =>
  ({
    credited: `credited to its wallet as ${'chargeId' in credit ? credit.chargeId : ''}`,
    known: 'not credited: meanwhile a charge has it',
    spent:
      'NOT CREDITED: the database says that this transfer has paid a charge of another payment; look at both',
  })[credit.outcome];

/** The findings of a search of the chain, in lines for the operator. */
export const linesOf = ({ until, open, plain, forgotten }: Findings): readonly string[] => {
  const time = new Date(Number(until.time) * 1_000).toISOString();
  return [
    `Searched up to block ${until.block} of ${time}. Younger ones are not final: run this again for them.`,
    ...(open > 0 ? [`Paid, and still being decided by the service: ${open}. Run this again later.`] : []),
    ...(plain.length > 0
      ? [`Plain transfers: ${plain.length}, of ${sumOf(plain)}. They paid no call, and are never credited:`]
      : []),
    ...plain.map(lineOf),
    `Forgotten payments: ${forgotten.length}, of ${sumOf(forgotten)}${forgotten.length > 0 ? ':' : '.'}`,
  ];
};
