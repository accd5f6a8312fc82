import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { present } from '#kernel/present';
import { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import { BillingAddress } from './billing-address.entity';
import { Invoice } from './invoice.entity';
import { TopUp } from './top-up.entity';

const TOP_UPS = tableOf(TopUp);

/** A top-up, and its invoice if it was paid. */
export interface BilledTopUp {
  readonly topUp: TopUp;
  readonly invoice?: Invoice;
}

/** Reads top-ups with their invoices, and keeps billing addresses. `TopUpRepository.paid` makes the invoices. */
@Injectable()
export class InvoiceRepository {
  constructor(
    private readonly db: Database,
    @InjectRepository(Invoice) private readonly invoices: Repository<Invoice>,
    @InjectRepository(BillingAddress) private readonly addresses: Repository<BillingAddress>,
  ) {}

  async addressOf(accountId: string): Promise<BillingAddress | undefined> {
    return present(await this.addresses.findOneBy({ accountId }));
  }

  async setAddress(address: BillingAddress): Promise<void> {
    await this.db.rows(
      `insert into billing_address (account_id, name, lines, country, tax_id) values ($1, $2, $3, $4, $5)
       on conflict (account_id) do update
       set name = excluded.name, lines = excluded.lines, country = excluded.country, tax_id = excluded.tax_id`,
      [address.accountId, address.name, address.lines, address.country, address.taxId],
      'billing-address-set',
    );
  }

  async removeAddress(accountId: string): Promise<void> {
    await this.addresses.delete({ accountId });
  }

  /** Newest first; `before` is the id of the last one of the page before. */
  async page(accountId: string, limit: number, before?: string): Promise<BilledTopUp[]> {
    const rows = await this.db.rows(
      `select ${TOP_UPS.columns} from credit_top_up
       where account_id = $1
         and ($3::text is null or (created_at, id) < (select created_at, id from credit_top_up where id = $3))
       order by created_at desc, id desc limit $2`,
      [accountId, limit, before],
      'top-up-page',
    );
    const topUps = rows.map(TOP_UPS.read);
    const invoices = await this.invoices
      .createQueryBuilder('invoice')
      .where('invoice.top_up_id = any(:ids)', { ids: topUps.map(({ id }) => id) })
      .getMany();
    const byTopUp = new Map(invoices.map((invoice) => [invoice.topUpId, invoice]));
    return topUps.map((topUp) => ({ topUp, invoice: byTopUp.get(topUp.id) }));
  }

  async find(accountId: string, id: string): Promise<BilledTopUp | undefined> {
    const row = await this.db.one(
      `select ${TOP_UPS.columns} from credit_top_up where account_id = $1 and id = $2`,
      [accountId, id],
      'top-up-find',
    );
    if (row === undefined) return undefined;
    return { topUp: TOP_UPS.read(row), invoice: present(await this.invoices.findOneBy({ topUpId: id })) };
  }
}
