import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { Database } from '../../platform/database/database';
import type { OfferedModel } from './offered-model';
import { VendorList } from './vendor-list.entity';

export const CHANNEL = 'vendor_list';

@Injectable()
export class VendorListRepository {
  constructor(
    @InjectRepository(VendorList) private readonly lists: Repository<VendorList>,
    private readonly db: Database,
  ) {}

  all(): Promise<VendorList[]> {
    return this.lists.find({ order: { vendor: 'asc' } });
  }

  /** Stores a list. True if it differs from the one before; then the same statement notifies all processes. */
  async store(vendor: string, models: readonly OfferedModel[]): Promise<boolean> {
    const stored = await this.db.one(
      `with before as (select models from vendor_list where vendor = $1),
      stored as (
        insert into vendor_list (vendor, models) values ($1, $2)
        on conflict (vendor) do update set models = excluded.models, read_at = now()
        returning models is distinct from (select models from before) as is_new
      )
      select is_new as "isNew", case when is_new then pg_notify($3, '') end from stored`,
      [vendor, JSON.stringify(models), CHANNEL],
    );
    return stored?.['isNew'] === true;
  }
}
