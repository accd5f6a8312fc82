import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';

import { Database } from '#platform/database/database';
import { Rails } from './rails';

/** Registers the rails in the database, which refuses charges of other rails. */
@Injectable()
export class RailRepository implements OnApplicationBootstrap {
  constructor(
    private readonly db: Database,
    private readonly rails: Rails,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { all } = this.rails;
    await this.db.rows(
      `insert into rail (name, is_prepaid) select * from unnest($1::text[], $2::boolean[])
       on conflict (name) do nothing`,
      [all.map(({ name }) => name), all.map(({ isPrepaid }) => isPrepaid)],
      'rail-register',
    );
  }
}
