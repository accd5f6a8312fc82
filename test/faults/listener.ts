import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { Client } from 'pg';

import type { Queries } from '#platform/database/database';
import { LoopbackServer, type Received } from '../support/loopback-server';

/** The deliveries of a dead process are sent again after half a minute. */
const RECEIVED_MS_MAX = 60_000;

/** The id of an event of an object. The guide promises receivers that it is the same at each try. */
const idOf = (id: string, ending: string): string =>
  `'evt_' || substr(${id}, strpos(${id}, '_') + 1) || '${ending}'`;

/** The events that each owner must receive, derived from the rows themselves instead of from the event log. */
const FACTS = `
  select payer as owner, ${idOf('id', '.c')} as id from charge where state in ('charged', 'refunded')
  union all select payer, ${idOf('id', '.l')} from charge where state = 'released'
  union all select payer, ${idOf('id', '.r')} from charge where state = 'refunded'
  union all select j.owner, ${idOf('j.id', '.a')} from job j join charge c on c.id = j.charge_id
    where c.state in ('charged', 'refunded')
  union all select j.owner, ${idOf('j.id', '.')} || case j.status when 'done' then 'd' else 'f' end
    from job j join charge c on c.id = j.charge_id
    where j.status in ('done', 'failed') and c.state in ('charged', 'refunded')
  union all select substr(account_id, strpos(account_id, ':') + 1), 'evt_' || md5(source) || '.t' from ledger_entry
    where kind = 'top_up'`;

/** Makes an endpoint for every owner that the ledger or a payment names, at the moment when it is named. */
const LISTENING = (origin: string): string => `
  create function somebody_listens() returns trigger language plpgsql as $$
  declare
    who text := coalesce(to_jsonb(new)->>'payer', substr(to_jsonb(new)->>'id', strpos(to_jsonb(new)->>'id', ':') + 1));
  begin
    insert into webhook_endpoint (id, owner, place, url, host) values ('whe_' || md5(who), who, 1, '${origin}/' || who, '127.0.0.1')
    on conflict do nothing;
    return null;
  end $$;
  create trigger somebody_listens after insert on ledger_account for each row execute function somebody_listens();
  create trigger somebody_listens after insert on x402_payer for each row execute function somebody_listens()`;

/** Receives the events of all owners, and knows the owner of each by its path. */
export class Listener extends LoopbackServer {
  private readonly received = new Map<string, Set<string>>();
  private nudges = 0;

  async listenTo(databaseUrl: string): Promise<void> {
    const client = new Client(databaseUrl);
    await client.connect();
    await client.query(LISTENING(this.origin));
    await client.end();
  }

  protected serve({ path, headers }: Received, response: ServerResponse): void {
    const owner = path.slice(1);
    this.received.set(owner, (this.received.get(owner) ?? new Set()).add(String(headers['webhook-id'])));
    response.writeHead(204).end();
  }

  /** Whatever broke, each owner received all of its events, and no event of another owner. */
  async expectAllReceived(db: Queries): Promise<void> {
    let missing: readonly string[] = [];
    for (const until = Date.now() + RECEIVED_MS_MAX; ; await pause(50)) {
      const facts = await db.rows<{ owner: string; id: string }>(FACTS);
      missing = facts
        .filter(({ owner, id }) => this.received.get(owner)?.has(id) !== true)
        .map(({ id }) => id);
      if (missing.length === 0 || Date.now() > until) break;
      await this.hurry(db);
    }
    const own = new Map<string, Set<string>>();
    for (const { owner, id } of await db.rows<{ owner: string; id: string }>(
      `${FACTS} union all select owner, id from event`,
    )) {
      own.set(owner, (own.get(owner) ?? new Set()).add(id));
    }
    const strange = [...this.received].flatMap(([owner, ids]) =>
      [...ids].filter((id) => own.get(owner)?.has(id) !== true),
    );
    expect({ missing, strange }).toEqual({ missing: [], strange: [] });
  }

  /** Does now what would happen half a minute later: fan-out of the log, and deliveries of a dead process. */
  private async hurry(db: Queries): Promise<void> {
    if (this.nudges++ % 10 !== 0) return;
    await db.rows(
      `insert into event (id, owner, type, data) values ('evt_nudge_' || $1, 'nobody', 'balance.low', '{}')`,
      [String(this.nudges)],
    );
    await db.rows(
      `update webhook_delivery set taken_until = null, due_at = least(due_at, now())
       where state = 'pending' and (taken_until < now() + interval '27 seconds' or taken_until is null)`,
    );
  }
}
