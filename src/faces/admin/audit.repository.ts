import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, type Repository } from 'typeorm';

import { Database, type Queries } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import { AuditEntry } from './audit-entry.entity';

const ENTRIES = tableOf(AuditEntry);

export type AuditDraft = Omit<AuditEntry, 'sequence' | 'createdAt'>;

/** The one who acts, as the audit stores it. */
export type Actor = Pick<AuditDraft, 'operator' | 'requestId' | 'ip'>;

@Injectable()
export class AuditRepository {
  constructor(
    private readonly db: Database,
    @InjectRepository(AuditEntry) private readonly entries: Repository<AuditEntry>,
  ) {}

  /** Adds an entry, or returns the earlier entry of the same call. */
  async add(draft: AuditDraft, queries: Queries = this.db): Promise<AuditEntry> {
    const { action, accountId, subject, amount, reason, mark, operator, requestId, ip } = draft;
    const row = await queries.one(
      `insert into admin_audit (action, account_id, subject, amount_micro, reason, mark, operator, request_id, ip)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       on conflict on constraint admin_audit_mark do nothing returning ${ENTRIES.columns}`,
      [action, accountId, subject, amount, reason, mark, operator, requestId, ip],
      'audit-add',
    );
    return row === undefined ? this.entries.findOneByOrFail({ mark }) : ENTRIES.read(row);
  }

  /** The newest entries come first. `before` is the sequence of the previous page's last entry. */
  page(limit: number, before?: bigint): Promise<AuditEntry[]> {
    return this.entries.find({
      where: before === undefined ? {} : { sequence: LessThan(before) },
      order: { sequence: 'desc' },
      take: limit,
    });
  }
}
