import { Injectable } from '@nestjs/common';

import { type Micro, microFromText } from '#kernel/money';
import type { View } from '#people/keys/visible-rows';
import { callIsSeen } from '#people/keys/visible-rows.sql';
import { Database } from '#platform/database/database';

/** The most calls of a session that are added up, newest first. */
const CALLS_MAX = 5_000;
/** The most calls of all sessions of a page. */
const ALL_CALLS_MAX = 20_000;

export interface SessionCost {
  readonly calls: number;
  readonly cost: Micro;
}

/** Adds up the calls of sessions. */
@Injectable()
export class SessionCostRepository {
  constructor(private readonly db: Database) {}

  /** The calls so far that the caller may see, by session. */
  async of(
    { owner, onlyKey, onlyMember }: View,
    sessions: readonly string[],
  ): Promise<ReadonlyMap<string, SessionCost>> {
    if (sessions.length === 0) return new Map();
    const rows = await this.db.rows<{ session: string; calls: number; cost: string }>(
      `select newest.session, count(*)::integer as calls,
         sum(case when c.state in ('released', 'refunded') then 0 else c.price_micro end)::text as cost
       from unnest($2::text[]) as wanted (session)
       cross join lateral (
         select s.session, s.charge_id from call_session s
         where s.owner = $1 and s.session = wanted.session order by s.charge_id desc limit $5) newest
       join charge c on c.id = newest.charge_id
       where c.payer = $1 and ${callIsSeen('c', '$3', '$4')}
       group by newest.session`,
      [
        owner,
        sessions,
        onlyKey,
        onlyMember,
        Math.min(CALLS_MAX, Math.floor(ALL_CALLS_MAX / sessions.length)),
      ],
      'session-costs',
    );
    return new Map(rows.map(({ session, calls, cost }) => [session, { calls, cost: microFromText(cost) }]));
  }
}
