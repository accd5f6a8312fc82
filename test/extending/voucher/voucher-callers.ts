import { randomBytes } from 'node:crypto';

import { AccountFunds } from '../../../src/billing/ledger/account-funds';
import { micro } from '../../../src/kernel/money';
import type { RailFixture } from '../../contract/rail-callers';
import { voucherId } from './voucher.rail';

export const VOUCHER_CALLERS: RailFixture = {
  async caller(world, money) {
    const code = `vch_${randomBytes(12).toString('hex')}`;
    const id = voucherId(code);
    const account = `voucher:${id}`;
    const funds = world.app.get(AccountFunds, { strict: false });
    await funds.topUp(account, micro(money), `voucher:${randomBytes(8).toString('hex')}`);
    return {
      payer: id,
      left: () => funds.balance(account),
      credential: () => Promise.resolve({ 'x-voucher': code }),
    };
  },
  bad: { 'x-voucher': 'a-cinema-ticket' },
  refusal: { status: 401, code: 'NO_VOUCHER' },
};
