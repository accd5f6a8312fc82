import { Entity } from 'typeorm';

import { BigintColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** An action of a member in an organisation. The table is append-only; the database refuses anything else. */
@Entity('organisation_audit')
export class OrganisationAuditEntry {
  @BigintColumn({ name: 'seq', primary: true }) readonly sequence: bigint;
  @TextColumn() readonly organisationId: string;
  @TextColumn() readonly actorId: string;
  @TextColumn({ name: 'deed' }) readonly action: string;
  /** The id of the subject; empty if the subject is the organisation. */
  @TextColumn() readonly subject: string;
  /** Further words: a role, an address, a name. */
  @TextColumn() readonly detail: string;
  @TextColumn() readonly requestId: string;
  @TextColumn() readonly ip: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
}
