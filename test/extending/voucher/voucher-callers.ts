import { randomBytes } from 'node:crypto';

import { AccountFunds } from '../../../src/billing/ledger/account-funds';
import { micro } from '../../../src/kernel/money';
import type { RailFixture } from '../../contract/rail-callers';
import { voucherAccount } from './voucher.rail';

export const VOUCHER_CALLERS: RailFixture = {
  async caller(world, money) {
    const code = `vch_${randomBytes(12).toString('hex')}`;
    const account = voucherAccount(code);
    const funds = world.app.get(AccountFunds, { strict: false });
    await funds.topUp(account, micro(money), `voucher:${randomBytes(8).toString('hex')}`);
    return {
      payer: account,
      left: () => funds.balance(account),
      credential: () => Promise.resolve({ 'x-voucher': code }),
    };
  },
  bad: { 'x-voucher': 'a-cinema-ticket' },
  refusal: { status: 401, code: 'NO_VOUCHER' },
};
