import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

import { micro } from '#kernel/money';
import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';

/** Sells printed pages for the credits of an account, at 100 micro-dollars a page. */
@Injectable()
export class SampleOrders {
  constructor(
    private readonly source: DataSource,
    private readonly funds: AccountFunds,
  ) {}

  async sell(accountId: string, id: string, pages: number): Promise<void> {
    await this.source.transaction(async (manager) => {
      await manager.query('insert into sample_order (id, pages) values ($1, $2)', [id, pages]);
      await this.funds.debit(creditsAccount(accountId), micro(100n * BigInt(pages)), `order:${id}`, {
        manager,
      });
    });
  }
}
