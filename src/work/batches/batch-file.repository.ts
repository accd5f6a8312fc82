import { Injectable } from '@nestjs/common';

import { present } from '#kernel/present';
import { byColumn } from '#platform/database/batch-rows';
import { Database } from '#platform/database/database';
import { constraintOf } from '#platform/database/error-fields';
import { withOwnerLock } from '#platform/database/owner-lock';
import { tableOf } from '#platform/database/table';
import type { View } from '#people/keys/visible-rows';
import { memberOfKey } from '#people/keys/visible-rows.sql';
import { BatchFile } from './batch-file.entity';
import { deletedRows } from '#platform/queue/sweep-rows.repository';

/** The limits of one owner. */
export interface FileLimits {
  readonly filesMax: number;
  readonly bytesMax: number;
}

export interface SealedLine {
  readonly line: number;
  readonly sealed: Buffer;
}

const FILES = tableOf(BatchFile);
/** The files of a view. The person of an answer file is the person of the batch. */
const MEANT = `owner = $1 and ($2::text is null or key_id = $2)
  and ($3::text is null or coalesce(member_id,
    (select ${memberOfKey('b.paying_key_id')} from batch b where b.id = batch_file.batch_id)) = $3)
  and ready_at is not null and expires_at > now()`;
const LOCK = 'batch files';

/** Expired files, and files that were never received whole. A file of an open batch stays. */
export const OLD_FILES = deletedRows({
  step: 'old-batch-files',
  table: 'batch_file',
  key: 'batch_file.id',
  due: `(expires_at <= now() or (ready_at is null and created_at < now() - interval '1 hour'))
    and not exists (select from batch b where b.input_file_id = batch_file.id and b.ended_at is null)`,
});

@Injectable()
export class BatchFileRepository {
  constructor(private readonly db: Database) {}

  /**
   * Opens an upload. False if the owner has reached the limit of files or bytes. An open upload counts with its largest
   * possible size, so several uploads at once can't exceed the limit.
   */
  open(
    file: Pick<BatchFile, 'id' | 'owner' | 'keyId' | 'memberId' | 'bytes'>,
    days: number,
    { filesMax, bytesMax }: FileLimits,
  ): Promise<boolean> {
    return withOwnerLock(this.db, LOCK, file.owner, async (queries) => {
      const row = await queries.one(
        `insert into batch_file (id, owner, key_id, purpose, filename, expires_at, bytes, member_id)
         select $1, $2, $3, 'batch', '', now() + $4::integer * interval '1 day', $7, $8
         from (select count(*) as files, coalesce(sum(bytes), 0) as bytes from batch_file
           where owner = $2 and purpose = 'batch' and expires_at > now()) as kept
         where kept.files < $5 and kept.bytes < $6
         returning id`,
        [file.id, file.owner, file.keyId, days, filesMax, bytesMax, file.bytes, file.memberId],
        'batch-file-open',
      );
      return row !== undefined;
    });
  }

  async addLines(id: string, lines: readonly SealedLine[]): Promise<void> {
    await this.db.rows(
      `insert into batch_file_line (file_id, line, sealed)
       select $1, line, sealed from unnest($2::integer[], $3::bytea[]) as l (line, sealed)`,
      [id, ...byColumn(lines.map(({ line, sealed }) => [line, sealed]))],
      'batch-file-lines',
    );
  }

  /** The upload is complete. Fails on an idempotency key that another file has. */
  async close(
    id: string,
    {
      filename,
      bytes,
      lines,
      mark,
      contentHash,
    }: Pick<BatchFile, 'filename' | 'bytes' | 'lines' | 'mark' | 'contentHash'>,
  ): Promise<BatchFile> {
    const row = await this.db.one(
      `update batch_file set bytes = $2, lines = $3, mark = $4, content_hash = $5, filename = $6, ready_at = now()
       where id = $1 returning ${FILES.columns}`,
      [id, bytes, lines, mark, contentHash, filename],
      'batch-file-close',
    );
    return FILES.read(row!);
  }

  async markedBy({ owner, onlyKey }: View, mark: string): Promise<BatchFile | undefined> {
    const row = await this.db.one(
      `select ${FILES.columns} from batch_file where owner = $1 and key_id is not distinct from $2 and mark = $3`,
      [owner, onlyKey, mark],
      'batch-file-marked',
    );
    return row && FILES.read(row);
  }

  async find({ owner, onlyKey, onlyMember }: View, id: string): Promise<BatchFile | undefined> {
    const row = await this.db.one(
      `select ${FILES.columns} from batch_file where ${MEANT} and id = $4`,
      [owner, onlyKey, onlyMember, id],
      'batch-file-find',
    );
    return row && FILES.read(row);
  }

  /** Newest first. */
  async list({ owner, onlyKey, onlyMember }: View, limit: number): Promise<BatchFile[]> {
    const rows = await this.db.rows(
      `select ${FILES.columns} from batch_file where ${MEANT} order by created_at desc, id desc limit $4`,
      [owner, onlyKey, onlyMember, limit],
      'batch-file-list',
    );
    return rows.map((row) => FILES.read(row));
  }

  lines(id: string, after: number, most: number): Promise<SealedLine[]> {
    return this.db.rows<{ line: number; sealed: Buffer }>(
      'select line, sealed from batch_file_line where file_id = $1 and line > $2 order by line limit $3',
      [id, after, most],
      'batch-file-page',
    );
  }

  /** The lines of an answer file, in the order of the batch. */
  async answers({ batchId, purpose }: BatchFile, after: number, most: number): Promise<SealedLine[]> {
    const rows = await this.db.rows<{ line: number; sealed: Buffer | null }>(
      `select line, answer as sealed from batch_line
       where batch_id = $1 and line > $2 and state = any($4) and answer is not null order by line limit $3`,
      [batchId, after, most, purpose === 'batch_output' ? ['done'] : ['failed', 'expired']],
      'batch-file-answers',
    );
    return rows.flatMap(({ line, sealed }) => {
      const there = present(sealed);
      return there === undefined ? [] : [{ line, sealed: there }];
    });
  }

  /** Deletes a file with its lines. False if an open batch works from it. */
  async delete(id: string): Promise<boolean> {
    try {
      const row = await this.db.one(
        `delete from batch_file f where f.id = $1
           and not exists (select from batch b where b.input_file_id = f.id and b.ended_at is null)
         returning id, batch_id, purpose`,
        [id],
        'batch-file-delete',
      );
      return row !== undefined;
    } catch (error) {
      // The batch was committed while this statement waited.
      if (constraintOf(error) === 'batch_open_file') return false;
      throw error;
    }
  }

  /** Deletes the answers in the lines of a batch, because their file is deleted. */
  async dropAnswers({ batchId, purpose }: BatchFile): Promise<void> {
    await this.db.rows(
      `update batch_line set answer = null where batch_id = $1 and state = any($2)`,
      [batchId, purpose === 'batch_output' ? ['done'] : ['failed', 'expired']],
      'batch-file-drop-answers',
    );
  }
}
