import { createHash } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { LedgerRepository } from '../../../src/billing/ledger/ledger.repository';
import type { Payer } from '../../../src/billing/rails/payer';
import { PrepaidRail } from '../../../src/billing/rails/prepaid-rail';
import type { RailFacts } from '../../../src/billing/rails/rail-facts';
import type { PriceSettings } from '../../../src/catalog/prices.settings';
import { defineError } from '../../../src/kernel/app-error';
import { errorCode } from '../../../src/kernel/error-code';
import { SETTINGS } from '../../../src/platform/config/settings';
import { headerIn } from '../../../src/platform/http/credentials';
import type { HttpSettings } from '../../../src/platform/http/http.settings';

const CODE = /^vch_[A-Za-z0-9]{24}$/;

const NoVoucher = defineError(
  errorCode('NO_VOUCHER', 'unauthenticated', {
    means: 'The header `X-Voucher` is no voucher.',
    remedy: 'Copy the whole voucher, without spaces.',
  }),
  'This is not a voucher: vouchers are vch_ and 24 letters and digits, sent as X-Voucher.',
);

/** The id of a voucher. It does not contain the code, so a reader of the ledger can't spend the money. */
export const voucherId = (code: string): string => createHash('sha256').update(code).digest('base64url');

/** Spends the rest of a voucher. Everybody who has its code may do so. */
@Injectable()
export class VoucherRail extends PrepaidRail {
  static readonly facts: RailFacts = {
    name: 'voucher',
    accounts: 'voucher',
    headers: ['x-voucher'],
    secrets: [/(vch_)()[A-Za-z0-9]{20,}/g],
    schemes: { voucher: { type: 'apiKey', in: 'header', name: 'X-Voucher' } },
    manifest: { header: 'X-Voucher', account: false, discount: 'none' },
  };

  constructor(ledger: LedgerRepository, @Inject(SETTINGS) { http, price }: HttpSettings & PriceSettings) {
    super(ledger, price.chatFloor, `${http.publicUrl}/vouchers`);
  }

  claims(request: FastifyRequest): boolean {
    return headerIn(request, VoucherRail.facts.headers) !== undefined;
  }

  payerOf(request: FastifyRequest): Promise<Payer> {
    const code = headerIn(request, VoucherRail.facts.headers) ?? '';
    if (!CODE.test(code)) throw new NoVoucher();
    const id = voucherId(code);
    return Promise.resolve({
      rail: this.name,
      id,
      ledgerAccount: `voucher:${id}`,
      limitedAs: `voucher:${id}`,
      discountPercent: 0,
    });
  }
}
