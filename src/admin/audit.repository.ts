import { Injectable } from '@nestjs/common';

import { type Micro, microFromText } from '../kernel/money';
import { Database } from '../platform/database/database';

export type AdminAction = 'ban' | 'unban' | 'credit' | 'close_payment' | 'refused';

export interface AuditDraft {
  readonly action: AdminAction;
  /** Empty where no account is meant. */
  readonly accountId: string;
  readonly amount?: Micro;
  readonly reason?: string;
  /** What makes a repeated call the same one. */
  readonly mark?: string;
  readonly requestId: string;
  readonly ip: string;
}

export interface AuditEntry extends AuditDraft {
  readonly sequence: bigint;
  readonly createdAt: Date;
}

interface AuditRow {
  readonly seq: string;
  readonly action: AdminAction;
  readonly account_id: string;
  readonly amount_micro: string | null;
  readonly reason: string | null;
  readonly mark: string | null;
  readonly request_id: string;
  readonly ip: string;
  readonly created_at: Date;
}

const COLUMNS = 'seq, action, account_id, amount_micro, reason, mark, request_id, ip, created_at';

const toEntry = (row: AuditRow): AuditEntry => ({
  sequence: BigInt(row.seq),
  action: row.action,
  accountId: row.account_id,
  ...(row.amount_micro === null ? {} : { amount: microFromText(row.amount_micro) }),
  ...(row.reason === null ? {} : { reason: row.reason }),
  ...(row.mark === null ? {} : { mark: row.mark }),
  requestId: row.request_id,
  ip: row.ip,
  createdAt: row.created_at,
});

/** What operators did. It can only be added to; the database refuses anything else. */
@Injectable()
export class AuditRepository {
  constructor(private readonly db: Database) {}

  /** The new entry, or the earlier one with the same mark. */
  async add(draft: AuditDraft): Promise<AuditEntry> {
    const values = [
      draft.action,
      draft.accountId,
      draft.amount ?? null,
      draft.reason ?? null,
      draft.mark ?? null,
      draft.requestId,
      draft.ip,
    ];
    const row =
      (await this.db.one<AuditRow>(
        `insert into admin_audit (action, account_id, amount_micro, reason, mark, request_id, ip)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict on constraint admin_audit_mark do nothing returning ${COLUMNS}`,
        values,
      )) ?? (await this.db.one<AuditRow>(`select ${COLUMNS} from admin_audit where mark = $1`, [draft.mark]));
    if (row === undefined) {
      throw new Error('An audit entry was neither made nor found.');
    }
    return toEntry(row);
  }

  /** Newest first; `before` is the sequence of the last one of the page before. */
  async page(limit: number, before?: bigint): Promise<AuditEntry[]> {
    const rows = await this.db.rows<AuditRow>(
      `select ${COLUMNS} from admin_audit where $2::bigint is null or seq < $2 order by seq desc limit $1`,
      [limit, before ?? null],
    );
    return rows.map(toEntry);
  }
}
