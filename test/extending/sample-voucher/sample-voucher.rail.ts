import { createHash } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { LedgerRepository } from '#money/billing/ledger/ledger.repository';
import type { Payer } from '#money/billing/rails/payer';
import { PrepaidRail } from '#money/billing/rails/prepaid-rail';
import type { RailFacts } from '#money/billing/rails/rail-facts';
import type { PriceSettings } from '#models/catalog/prices.settings';
import { SETTINGS } from '#platform/config/settings';
import { headerIn } from '#platform/http/credentials';
import type { HttpSettings } from '#platform/http/http.settings';
import { NoSampleVoucher } from './sample-voucher.errors';

const CODE = /^sample_voucher_[A-Za-z0-9]{24}$/;

/** The id of a payer. It does not contain the code, so a reader of the ledger can't spend the money. */
export const sampleVoucherId = (code: string): string =>
  createHash('sha256').update(code).digest('base64url');

/** Each code spends its own balance. Everybody who has the code may do so. */
@Injectable()
export class SampleVoucherRail extends PrepaidRail {
  static readonly facts: RailFacts = {
    name: 'sample-voucher',
    accounts: 'sample-voucher',
    headers: ['x-sample-voucher'],
    secrets: [/(sample_voucher_)()[A-Za-z0-9]{20,}/g],
    schemes: { 'sample-voucher': { type: 'apiKey', in: 'header', name: 'X-Sample-Voucher' } },
    manifest: { header: 'X-Sample-Voucher', account: false, discount: 'none' },
  };

  constructor(ledger: LedgerRepository, @Inject(SETTINGS) { http, price }: HttpSettings & PriceSettings) {
    super(ledger, price.chatFloor, `${http.publicUrl}/sample-vouchers`);
  }

  claims(request: FastifyRequest): boolean {
    return headerIn(request, SampleVoucherRail.facts.headers) !== undefined;
  }

  payerOf(request: FastifyRequest): Promise<Payer> {
    const code = headerIn(request, SampleVoucherRail.facts.headers) ?? '';
    if (!CODE.test(code)) throw new NoSampleVoucher();
    const id = sampleVoucherId(code);
    return Promise.resolve({
      rail: this.name,
      id,
      ledgerAccount: `sample-voucher:${id}`,
      limitedAs: `sample-voucher:${id}`,
      discountPercent: 0,
    });
  }
}
