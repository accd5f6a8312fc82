import { Injectable } from '@nestjs/common';

import { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import { AlertMail } from './alert-mail.entity';
import type { SweptRows } from '#platform/queue/sweep-rows.repository';
import {
  TAKEN_SECONDS_MAX,
  PAUSE_SECONDS,
  PAUSE_SECONDS_MAX,
  DOUBLINGS_MAX,
  TRIED_HOURS_MAX,
} from './alert-mail-limits';

const MAILS = tableOf(AlertMail);

/** A mail to send now, with its address. */
export interface TakenMail extends Pick<AlertMail, 'id' | 'owner' | 'type' | 'data'> {
  readonly to: readonly string[];
}

/** Mails that are a day old. `lost` is whether a mail was never sent. */
export const OLD_MAILS: SweptRows = {
  step: 'old-alert-mails',
  table: 'alert_mail',
  key: 'id',
  due: `created_at < now() - interval '${TRIED_HOURS_MAX} hours'`,
  act: (keys) => `
    delete from alert_mail m using account a where a.id = m.owner and m.id in (${keys})
    returning m.due_at is not null and a.banned_at is null as lost`,
};

@Injectable()
export class AlertMailRepository {
  constructor(private readonly db: Database) {}

  /** Takes due mails. A closed account gets no mail. An organisation's mails go to the members who manage its money. */
  async take(limit: number): Promise<TakenMail[]> {
    const rows = await this.db.rows<{ addresses: string[] }>(
      `with due as (
         select m.id, case when a.email is not null then array[a.email] else array(
             select who.email from member join account who on who.id = member.account_id
             where member.organisation_id = a.id and member.role in ('owner', 'billing') and who.banned_at is null
             order by who.email) end as addresses
         from alert_mail m join account a on a.id = m.owner
         where m.due_at <= now() and a.banned_at is null
         order by m.due_at limit $1 for update of m skip locked
       )
       update alert_mail m set tries = m.tries + 1, due_at = now() + make_interval(secs => ${TAKEN_SECONDS_MAX})
       from due d where m.id = d.id
       returning m.*, d.addresses`,
      [limit],
      'alert-mail-take',
    );
    return rows.map((row) => ({ ...MAILS.read(row), to: row.addresses }));
  }

  async end(id: string): Promise<void> {
    await this.db.rows('update alert_mail set due_at = null where id = $1', [id], 'alert-mail-end');
  }

  async putOff(id: string): Promise<void> {
    await this.db.rows(
      `update alert_mail set due_at = now() + make_interval(secs =>
         least(${PAUSE_SECONDS_MAX}, ${PAUSE_SECONDS} * 2 ^ least(${DOUBLINGS_MAX}, tries - 1)))
       where id = $1 and due_at is not null`,
      [id],
      'alert-mail-put-off',
    );
  }

  /** The number of waiting mails, and the age of the oldest. */
  async backlog(): Promise<{ readonly pending: number; readonly oldestSeconds: number }> {
    const row = await this.db.one<{ pending: number; oldest: number }>(
      `select count(*)::int as pending, coalesce(extract(epoch from now() - min(m.created_at)), 0)::float8 as oldest
       from alert_mail m join account a on a.id = m.owner where m.due_at is not null and a.banned_at is null`,
      [],
      'alert-mail-backlog',
    );
    return { pending: row?.pending ?? 0, oldestSeconds: row?.oldest ?? 0 };
  }
}
