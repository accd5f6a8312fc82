import { AppError } from '#kernel/app-error';
import type { Micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import type { PayableCall } from '../../payable-call';
import type { PaymentQuote } from './payment-quote';
import type { X402Price } from './x402-price';
import type { X402Network } from '#money/networks/networks';

interface OfferedPrice {
  readonly amount: Micro;
  readonly payer: WalletAddress;
  readonly network: X402Network;
  /** Our quote with its MAC, which the client returns. */
  readonly quote?: string;
}

/**
 * The reason why an amount is not the price of a call. An unexpired quote of ours has priority over the present price.
 * Without such a quote, the service computes the price again.
 */
export const priceProblem = async (
  call: PayableCall,
  { amount, payer, network, quote }: OfferedPrice,
  quotes: PaymentQuote,
  prices: X402Price,
): Promise<'bad_quote' | 'wrong_amount' | AppError | undefined> => {
  const opened = quote === undefined ? undefined : quotes.open(call, quote, payer, network);
  if (opened?.outcome === 'foreign') return 'bad_quote';
  try {
    const price = opened?.outcome === 'holds' ? opened.price : await prices.priceOf(call, payer);
    return price === amount ? undefined : 'wrong_amount';
  } catch (error) {
    if (error instanceof AppError && error.kind === 'conflict') return error; // The quoteId is no longer valid.
    throw error;
  }
};
