import { Injectable } from '@nestjs/common';

import { NotFound } from '#kernel/app-error';
import { microToJson } from '#kernel/money';
import type { BillingAddress } from './billing-address.entity';
import type { Invoice } from './invoice.entity';
import { type BilledTopUp, InvoiceRepository } from './invoice.repository';
import type {
  BilledTopUpAnswer,
  BilledTopUpsAnswer,
  BillingAddressAnswer,
  BillingAddressBody,
  InvoiceAnswer,
} from './invoices.dto';
import { pageOf } from '#platform/http/routes/page-query';
import type { TopUp } from './top-up.entity';

/** The documents about top-ups, and the buyer's address on them. */
@Injectable()
export class InvoicesService {
  constructor(private readonly invoices: InvoiceRepository) {}

  async address(accountId: string): Promise<BillingAddressAnswer> {
    const address = await this.invoices.addressOf(accountId);
    return address === undefined ? {} : { address: addressAnswerFor(address) };
  }

  async setAddress(accountId: string, body: BillingAddressBody): Promise<BillingAddressAnswer> {
    const { name, lines, country, taxId } = body;
    await this.invoices.setAddress({
      accountId,
      name: name.trim(),
      lines: lines.trim(),
      country,
      taxId: taxId?.trim() || undefined,
    });
    return this.address(accountId);
  }

  removeAddress(accountId: string): Promise<void> {
    return this.invoices.removeAddress(accountId);
  }

  async list(accountId: string, limit: number, cursor?: string): Promise<BilledTopUpsAnswer> {
    const found = await this.invoices.page(accountId, limit + 1, cursor);
    const { page, nextCursor } = pageOf(found, limit, ({ topUp }) => topUp.id);
    return { topUps: page.map(topUpAnswerFor), nextCursor };
  }

  async find(accountId: string, id: string): Promise<BilledTopUpAnswer> {
    const found = await this.invoices.find(accountId, id);
    if (found === undefined) throw new NotFound('There is no top-up with this id.');
    return topUpAnswerFor(found);
  }
}

const addressAnswerFor = ({ name, lines, country, taxId }: BillingAddress): BillingAddressBody => ({
  name,
  lines,
  country,
  taxId,
});

const stateOf = ({ state, amount, refunded }: TopUp): BilledTopUpAnswer['state'] => {
  if (refunded === 0n) return state;
  return refunded < amount ? 'partly_refunded' : 'refunded';
};

const topUpAnswerFor = ({ topUp, invoice }: BilledTopUp): BilledTopUpAnswer => ({
  id: topUp.id,
  state: stateOf(topUp),
  amountMicro: microToJson(topUp.amount),
  refundedMicro: microToJson(topUp.refunded),
  processor: topUp.processor,
  createdAt: topUp.createdAt.toISOString(),
  decidedAt: topUp.decidedAt?.toISOString(),
  invoice: invoice && invoiceAnswerFor(invoice),
});

const invoiceAnswerFor = (invoice: Invoice): InvoiceAnswer => {
  const { number, issuedAt, sellerName, sellerAddress, sellerTaxId, buyerName, buyerLines = '' } = invoice;
  return {
    number: Number(number),
    issuedAt: issuedAt.toISOString(),
    seller:
      sellerName === undefined ? undefined : { name: sellerName, address: sellerAddress, taxId: sellerTaxId },
    buyer:
      buyerName === undefined
        ? undefined
        : {
            name: buyerName,
            lines: buyerLines,
            country: invoice.buyerCountry ?? '',
            taxId: invoice.buyerTaxId,
          },
  };
};
