import { randomBytes } from 'node:crypto';

import { AccountFunds } from '#money/billing/ledger/account-funds';
import { micro } from '#kernel/money';
import type { RailFixture } from '../../contract/rail-callers';
import { sampleVoucherId } from './sample-voucher.rail';

/** The callers of this rail, for the contract of all rails. */
export const FIXTURE: RailFixture = {
  async caller(world, money) {
    const code = `sample_voucher_${randomBytes(12).toString('hex')}`;
    const id = sampleVoucherId(code);
    const account = `sample-voucher:${id}`;
    const funds = world.app.get(AccountFunds, { strict: false });
    await funds.topUp(account, micro(money), `sample-voucher:${randomBytes(8).toString('hex')}`);
    return {
      payer: id,
      left: () => funds.balance(account),
      credential: () => Promise.resolve({ 'x-sample-voucher': code }),
    };
  },
  bad: { 'x-sample-voucher': 'not-a-code' },
  refusal: { status: 401, code: 'NO_SAMPLE_VOUCHER' },
};
