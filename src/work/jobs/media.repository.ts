import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import { IS_DUE, dueSince, joinPauses } from '#platform/queue/sweep-pause.repository';
import { MEDIA_DELETION } from './job-sweeps';
import { Media } from './media.entity';

const MEDIA = tableOf(Media);

export type MediaBlob = Pick<Media, 'id' | 'blobKey'>;

/** The rows of media. `JobRepository.done` writes them with the end of their job. */
@Injectable()
export class MediaRepository {
  constructor(
    private readonly db: Database,
    @InjectRepository(Media) private readonly media: Repository<Media>,
  ) {}

  /** The media of a call before its charge is decided, for that call only. */
  find(id: string): Promise<Media | undefined> {
    return this.one(
      `select ${MEDIA.columns} from media where id = $1 and expires_at > now()`,
      id,
      'media-find',
    );
  }

  /** The media for anybody with the address: only charged media that were not refunded. */
  paid(id: string): Promise<Media | undefined> {
    return this.one(
      `select ${MEDIA.columns} from media where id = $1 and expires_at > now() and exists (
         select from job j join charge c on c.id = j.charge_id where j.id = media.job_id and c.state = 'charged')`,
      id,
      'media-paid',
    );
  }

  /** Media whose charge has been decided. Paid media no longer expire early. The others are returned for deletion. */
  async unpaid(limit: number): Promise<readonly MediaBlob[]> {
    const rows = await this.db.rows(
      `with decided as (
         select m.id, m.blob_key, c.state
         from media m join job j on j.id = m.job_id join charge c on c.id = j.charge_id ${joinPauses(MEDIA_DELETION, 'm.id')}
         where m.awaits_charge and c.state in ('charged', 'refunded', 'released') and ${IS_DUE}
         order by p.retry_at nulls first limit $1
       ), paid as (
         update media m set awaits_charge = false from decided d where m.id = d.id and d.state <> 'released'
       )
       select id, blob_key from decided where state = 'released'`,
      [limit],
      'media-unpaid',
    );
    return rows.map(MEDIA.read);
  }

  async expired(limit: number): Promise<readonly MediaBlob[]> {
    const rows = await this.db.rows(
      `select m.id, m.blob_key from media m ${joinPauses(MEDIA_DELETION, 'm.id')}
       where m.expires_at <= now() and m.bytes > 0 and ${IS_DUE} order by ${dueSince('m.expires_at')} limit $1`,
      [limit],
      'media-expired',
    );
    return rows.map(MEDIA.read);
  }

  async drop(id: string): Promise<void> {
    await this.media.delete({ id });
  }

  private async one(text: string, id: string, name: string): Promise<Media | undefined> {
    const row = await this.db.one(text, [id], name);
    return row && MEDIA.read(row);
  }
}
