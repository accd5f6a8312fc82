import { Injectable } from '@nestjs/common';

import { auditText } from '#people/accounts/audit/audit-action';
import {
  type AuditFilter,
  type NamedEntry,
  OrganisationAudit,
} from '#people/accounts/audit/audit.repository';
import { csvLine } from '#kernel/csv';
import { pageOf, sequenceIn } from '#platform/http/routes/page-query';
import type { AuditEntryAnswer, OrganisationAuditAnswer } from './organisations.dto';

const CSV_PAGE = 1_000;
const CSV_COLUMNS = ['at', 'who', 'action', 'text', 'subject', 'ip', 'requestId', 'id'] as const;

const answerFor = (entry: NamedEntry): AuditEntryAnswer => ({
  id: entry.sequence.toString(),
  at: entry.createdAt.toISOString(),
  who: { id: entry.actorId, email: entry.actorEmail },
  action: entry.action,
  text: auditText(entry.action, entry.subjectName ?? entry.subject, entry.detail),
  subject: entry.subject === '' ? undefined : entry.subject,
  ip: entry.ip,
  requestId: entry.requestId,
});

/** Shows the actions of members to those who manage them. */
@Injectable()
export class AuditService {
  constructor(private readonly audit: OrganisationAudit) {}

  async page(filter: AuditFilter, limit: number, cursor?: string): Promise<OrganisationAuditAnswer> {
    const found = await this.audit.page(filter, limit + 1, sequenceIn(cursor));
    const { page, nextCursor } = pageOf(found, limit, ({ sequence }) => String(sequence));
    return { entries: page.map(answerFor), nextCursor };
  }

  /** Reads page by page, so that a long audit is never completely in memory. */
  async *csv(filter: AuditFilter): AsyncGenerator<string> {
    yield csvLine(CSV_COLUMNS);
    let before: bigint | undefined;
    do {
      const page = await this.audit.page(filter, CSV_PAGE, before);
      yield page.map((entry) => lineOf(answerFor(entry))).join('');
      before = page.length === CSV_PAGE ? page.at(-1)?.sequence : undefined;
    } while (before !== undefined);
  }
}

const lineOf = ({ at, who, action, text, subject = '', ip, requestId, id }: AuditEntryAnswer): string =>
  csvLine([at, who.email ?? who.id, action, text, subject, ip, requestId, id]);
