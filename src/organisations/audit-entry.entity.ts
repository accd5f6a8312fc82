import { Entity } from 'typeorm';

import { BigintColumn, TextColumn, TimeColumn } from '../platform/database/columns';
import type { AuditAction } from './audit-actions';

/** What a member did in an organisation. It can only be added to; the database refuses anything else. */
@Entity('organisation_audit')
export class OrganisationAuditEntry {
  @BigintColumn({ name: 'seq', primary: true }) readonly sequence: bigint;
  @TextColumn() readonly organisationId: string;
  @TextColumn() readonly actorId: string;
  @TextColumn() readonly deed: AuditAction;
  /** What it was done to, by its id; empty where it was done to the organisation. */
  @TextColumn() readonly subject: string;
  /** What else the words need: a role, an address, a name. */
  @TextColumn() readonly detail: string;
  @TextColumn() readonly requestId: string;
  @TextColumn() readonly ip: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
}
