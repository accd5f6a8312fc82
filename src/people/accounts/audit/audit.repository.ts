import { Injectable } from '@nestjs/common';

import { present } from '#kernel/present';
import { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import { OrganisationAuditEntry } from './audit-entry.entity';

const ENTRIES = tableOf(OrganisationAuditEntry);

type AuditDraft = Omit<OrganisationAuditEntry, 'sequence' | 'createdAt'>;

/** An entry with the present names of the member and of the subject. */
export interface NamedEntry extends OrganisationAuditEntry {
  readonly actorEmail?: string;
  readonly subjectName?: string;
}

/** The organisation, and a filter of its entries. */
export interface AuditFilter {
  readonly organisationId: string;
  readonly action?: string;
  readonly actorId?: string;
}

@Injectable()
export class OrganisationAudit {
  constructor(private readonly db: Database) {}

  async add(draft: AuditDraft): Promise<void> {
    await this.db.rows(
      `insert into organisation_audit (organisation_id, actor_id, deed, subject, detail, request_id, ip)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        draft.organisationId,
        draft.actorId,
        draft.action,
        draft.subject,
        draft.detail,
        draft.requestId,
        draft.ip,
      ],
      'organisation-audit-add',
    );
  }

  /** The newest entries come first. `before` is the sequence of the previous page's last entry. */
  async page(
    { organisationId, action, actorId }: AuditFilter,
    limit: number,
    before?: bigint,
  ): Promise<NamedEntry[]> {
    const rows = await this.db.rows<{ actor_email: string | null; subject_name: string | null }>(
      `select e.*, actor.email as actor_email,
         coalesce(who.email, key.name, hook.url, invite.email) as subject_name
       from (
         select * from organisation_audit
         where organisation_id = $1 and ($2::text is null or deed = $2) and ($3::text is null or actor_id = $3)
           and ($4::bigint is null or seq < $4)
         order by seq desc limit $5) e
       left join account actor on actor.id = e.actor_id
       left join account who on who.id = e.subject
       left join api_key key on key.id = e.subject and key.account_id = e.organisation_id
       left join webhook_endpoint hook on hook.id = e.subject and hook.owner = e.organisation_id
       left join invite on invite.id = e.subject and invite.organisation_id = e.organisation_id
       order by e.seq desc`,
      [organisationId, action, actorId, before, limit],
      'organisation-audit-page',
    );
    return rows.map((row) => ({
      ...ENTRIES.read(row),
      actorEmail: present(row.actor_email),
      subjectName: present(row.subject_name),
    }));
  }
}
