import { InvalidRequest } from '#kernel/app-error';
import { type Micro, larger, micro, smaller } from '#kernel/money';
import { priceMaxOf } from '#people/keys/acting-key';
import type { Payer } from '../rails/payer';
import type { PaidCall } from './paid-call';
import { PriceAboveMax } from './refused-call.errors';

/** The most that the caller wants to pay for the call, by its header or its body. */
export const maxOf = ({ request, body }: PaidCall): Micro | undefined => {
  const header = request.headers['x-max-price-micro'];
  if (header !== undefined && !/^\d{1,15}$/.test(String(header))) {
    throw new InvalidRequest('X-Max-Price-Micro must be a whole number of micro-USD.', {
      param: 'X-Max-Price-Micro',
    });
  }
  const given = [body.maxPriceMicro, header === undefined ? undefined : Number(header)];
  const max = given.filter((value) => value !== undefined);
  return max.length === 0 ? undefined : micro(BigInt(Math.min(...max)));
};

export const refuseAboveMax = (call: PaidCall, price: Micro): void => {
  const max = maxOf(call);
  if (max !== undefined && max < price) throw new PriceAboveMax(price);
};

/**
 * Writes the price on which the payer and the service agree. The hold of a prepaid call that is charged by usage begins
 * with less, and grows up to what the caller agrees to.
 */
export const agree = (call: PaidCall, payer: Payer, price: Micro, max: Micro | undefined): void => {
  const { growth } = call.priced;
  if (growth === undefined || payer.ledgerAccount === undefined || payer.agreedPrice !== undefined) {
    call.price = price;
  } else {
    const agreed = call.body.quoteId === undefined ? growth.most : price;
    call.price = smaller(growth.first, agreed);
    call.least = smaller(growth.least, agreed);
    const limits = [max, payer.key && priceMaxOf(payer.key)].filter((limit) => limit !== undefined);
    call.most = limits.reduce<Micro>((least, limit) => smaller(least, micro(limit)), agreed);
  }
  const least = call.least ?? call.price;
  if (max !== undefined && max < least) call.refusal ??= new PriceAboveMax(least);
  if (call.most !== undefined) call.price = larger(least, smaller(call.price, call.most));
};
