import { Injectable } from '@nestjs/common';

import { newId } from '#kernel/ids';
import { Database } from '#platform/database/database';
import { named } from '#platform/database/named-sql';
import { tableOf } from '#platform/database/table';
import type { Exchange } from './webhook-exchange';
import { WebhookTry } from './webhook-try.entity';
import { deletedRows } from '#platform/queue/sweep-rows.repository';
import { TRY_DAYS, TRIES_SHOWN_MAX } from './webhook-limits';

const TRIES = tableOf(WebhookTry);

export const OLD_TRIES = deletedRows({
  step: 'old-tries',
  table: 'webhook_try',
  key: 'id',
  due: `at < now() - interval '${TRY_DAYS} days'`,
  order: 'at',
});
/** Tries of endpoints that are gone. */
export const STRAY_TRIES = deletedRows({
  step: 'stray-tries',
  table: 'webhook_try',
  key: 'webhook_try.id',
  due: 'not exists (select from webhook_endpoint e where e.id = webhook_try.target)',
});

const ADD = named(
  `insert into webhook_try (id, target, event_id, type, duration_ms, status, error, payload, sent, received, body)
   values (:id, :target, :eventId, :type, :durationMs, :status, :error, :payload, :sent::jsonb, :received::jsonb, :body)`,
);

/** The tries of endpoints. `WebhookDeliveryRepository.finish` writes the tries of events. */
@Injectable()
export class WebhookTryRepository {
  constructor(private readonly db: Database) {}

  /** Stores the try of a test message, which has no delivery. */
  async add(
    tried: Pick<WebhookTry, 'target' | 'eventId' | 'type' | 'status' | 'error'>,
    { durationMs, payload, sent, received, body }: Exchange,
  ): Promise<void> {
    await this.db.rows(
      ...ADD({
        id: newId('try'),
        target: tried.target,
        eventId: tried.eventId,
        type: tried.type,
        durationMs,
        status: tried.status,
        error: tried.error,
        payload,
        sent: JSON.stringify(sent),
        received: JSON.stringify(received),
        body,
      }),
      'webhook-try-add',
    );
  }

  /** Tries of one event, or of all, newest first. */
  async newest(target: string, eventId: string | undefined): Promise<WebhookTry[]> {
    const rows = await this.db.rows(
      `select ${TRIES.columns} from webhook_try
       where target = $1 and ($2::text is null or event_id = $2) and at > now() - interval '${TRY_DAYS} days'
       order by at desc limit ${TRIES_SHOWN_MAX}`,
      [target, eventId],
      'webhook-try-newest',
    );
    return rows.map(TRIES.read);
  }
}
