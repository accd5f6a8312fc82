import { isDeepStrictEqual } from 'node:util';

import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { Database, type Queries } from '#platform/database/database';
import type { RateTexts } from '../rates';
import { withAgreements } from './list-comparison';
import type { OfferedModel } from './offered-model';
import { ListAgreement, VendorList } from './vendor-list.entity';

export const CHANNEL = 'vendor_list';

@Injectable()
export class VendorListRepository {
  constructor(
    @InjectRepository(VendorList) private readonly lists: Repository<VendorList>,
    @InjectRepository(ListAgreement) private readonly agreements: Repository<ListAgreement>,
    private readonly db: Database,
  ) {}

  /** The lists, with the agreements of operators. */
  async all(): Promise<VendorList[]> {
    const [lists, agreed] = await Promise.all([
      this.lists.find({ order: { vendor: 'asc' } }),
      this.agreements.find(),
    ]);
    return lists.map((list) => {
      const own = agreed.filter(({ vendor }) => vendor === list.vendor);
      const prices = new Map(
        own.flatMap(({ model, rates, agreedAt: at }) =>
          rates === undefined ? [] : [[model, { rates, at }]],
        ),
      );
      const lossAt = own.find(({ model }) => model === '')?.agreedAt;
      const models = withAgreements(list.models, { prices, lossAt });
      // A later price needed no agreement, and the price before may be below it.
      const undoable = own.flatMap(({ before, rates }) =>
        before === null ||
        before === undefined ||
        rates === undefined ||
        !models.some((model) => model.id === before.id && isDeepStrictEqual(model.rates, rates))
          ? []
          : [{ model: before, rates }],
      );
      return { ...list, models, agreed: undoable };
    });
  }

  /** Stores an agreement, and notifies all processes. Without a model it is about the length of the list. */
  async agree(
    vendor: string,
    { model, rates }: { readonly model: string; readonly rates?: RateTexts },
    queries: Queries,
  ): Promise<void> {
    await queries.rows(
      `with agreed as (
        insert into list_agreement (vendor, model, rates, before)
        values ($1, $2, $3, (
          select each from vendor_list, jsonb_array_elements(models) each where vendor = $1 and each ->> 'id' = $2
        ))
        on conflict (vendor, model) do update
        set rates = excluded.rates, before = excluded.before, agreed_at = now() returning vendor
      )
      select pg_notify($4, '') from agreed`,
      [vendor, model, rates === undefined ? null : JSON.stringify(rates), CHANNEL],
    );
  }

  /**
   * Undoes an agreement to a price. The model has its held price again, unless a list with another price was stored
   * since then. All processes are notified. False if another operator has agreed to another price, or has undone it.
   */
  async withdraw(
    vendor: string,
    { model, rates }: { readonly model: string; readonly rates: RateTexts },
    queries: Queries,
  ): Promise<boolean> {
    const gone = await queries.rows(
      `with gone as (
        delete from list_agreement where vendor = $1 and model = $2 and rates = $4 returning before, rates
      ), restored as (
        update vendor_list set models = (
          select jsonb_agg(
            case when each ->> 'id' = $2 and not each ? 'goneOn' and gone.rates in (each -> 'rates', each -> 'held')
              then coalesce(gone.before, each) else each end
            order by at
          )
          from jsonb_array_elements(models) with ordinality as e (each, at)
        )
        from gone where vendor = $1 and models <> '[]' returning vendor
      )
      select pg_notify($3, '') from gone`,
      [vendor, model, CHANNEL, JSON.stringify(rates)],
    );
    return gone.length > 0;
  }

  /** Notes that a vendor's newest list is the stored one. */
  async confirm(vendor: string): Promise<void> {
    await this.db.rows('update vendor_list set read_at = now(), problem = null where vendor = $1', [vendor]);
  }

  /** Stores why a vendor does not list its models, unless it did since it was asked. Its last list stays. */
  async fail(vendor: string, problem: string, requestedMsAgo: number): Promise<void> {
    await this.db.rows(
      `insert into vendor_list (vendor, models, problem) values ($1, '[]', $2)
      on conflict (vendor) do update set problem = excluded.problem
      where vendor_list.problem is distinct from excluded.problem
        and (vendor_list.models = '[]' or vendor_list.read_at < now() - $3 * interval '1 millisecond')`,
      [vendor, problem, requestedMsAgo],
    );
  }

  /** The version of a list, which each change of its row changes. Undefined if there is no list. */
  async versionOf(vendor: string): Promise<string | undefined> {
    const row = await this.db.one('select xmin::text from vendor_list where vendor = $1', [vendor]);
    return row?.['xmin'] as string | undefined;
  }

  /**
   * Stores a list. True if it differs from the one before; then the same statement notifies all processes. Undefined if
   * the one before has another version: somebody has changed it, or undone an agreement to a price of it.
   */
  async store(
    vendor: string,
    models: readonly OfferedModel[],
    version: string | undefined,
  ): Promise<boolean | undefined> {
    const stored = await this.db.one(
      `with before as (select models from vendor_list where vendor = $1),
      stored as (
        insert into vendor_list (vendor, models) values ($1, $2)
        on conflict (vendor) do update set models = excluded.models, read_at = now(), problem = null
        where vendor_list.xmin::text = $4
        returning models is distinct from (select models from before) as is_new
      )
      select is_new as "isNew", case when is_new then pg_notify($3, '') end from stored`,
      [vendor, JSON.stringify(models), CHANNEL, version],
    );
    return stored?.['isNew'] as boolean | undefined;
  }
}
