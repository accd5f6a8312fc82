import { PageQuery } from '../platform/http/routes/page-query';
import { ROLES } from '../accounts/roles';
import {
  ChoiceField,
  FlagField,
  ListField,
  NoSlipOf,
  ObjectField,
  SchemaField,
  TextField,
  WhenField,
} from '../platform/http/routes/fields';
import { AUDIT_ACTION_NAMES, type AuditAction } from './audit-actions';

const CLOSED = 'The operator has closed it.';

export class NewOrganisationBody {
  @TextField({ min: 1, max: 100, pattern: '\\S', example: 'Acme Robots' }) readonly name: string;
}

export class OrganisationAnswer {
  @TextField({ max: 60, about: 'What `X-Organisation` takes.' }) readonly id: string;
  @TextField({ max: 254, about: 'Its name; the address of whose own it is.' }) readonly name: string;
  @ChoiceField(ROLES, { about: 'What you are in it.' }) readonly role: string;
  @FlagField({ about: 'Your own, which is your account.' }) readonly personal: boolean;
  @FlagField({ about: CLOSED }) readonly closed: boolean;
  @WhenField() readonly createdAt: string;
}

export class OrganisationsAnswer {
  @ListField(() => OrganisationAnswer, { about: 'Your own first.' })
  readonly organisations: readonly OrganisationAnswer[];
}

export class JoinedAnswer {
  @ObjectField(() => OrganisationAnswer) readonly organisation: OrganisationAnswer;
}

export class MemberBody {
  @ChoiceField(ROLES, { about: 'Only owners make and unmake owners.', example: 'viewer' })
  readonly role: (typeof ROLES)[number];
}

export class MemberAnswer {
  @TextField({ max: 60, about: 'Their account.' }) readonly id: string;
  @TextField({ max: 254 }) readonly email: string;
  @ChoiceField(ROLES) readonly role: string;
  @WhenField() readonly joinedAt: string;
  @FlagField({ about: CLOSED }) readonly closed: boolean;
}

export class MembersAnswer {
  @ListField(() => MemberAnswer, { about: 'As they joined.' }) readonly members: readonly MemberAnswer[];
}

@NoSlipOf('email')
export class NewInviteBody {
  @ChoiceField(ROLES, { about: 'Only owners invite owners.', example: 'developer' })
  readonly role: (typeof ROLES)[number];
  @TextField({
    min: 3,
    max: 254,
    format: 'email',
    optional: true,
    about:
      'Whom it is for: the link is sent to this address. Where the service sends no mail, it only keeps out accounts under other ' +
      'addresses, and proves nothing: anybody can register an address.',
    example: 'bob@example.com',
  })
  readonly email?: string;
}

export class InviteAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @ChoiceField(ROLES) readonly role: string;
  @TextField({ max: 254, optional: true }) readonly email?: string;
  @FlagField({
    about:
      'Whether the link went to this address by mail and to nobody else. Where not, the address is not proven.',
  })
  readonly emailProven: boolean;
  @TextField({ max: 60, about: 'Who made it.' }) readonly invitedBy: string;
  @WhenField() readonly createdAt: string;
  @WhenField() readonly expiresAt: string;
}

export class NewInviteAnswer extends InviteAnswer {
  @TextField({
    max: 600,
    optional: true,
    about:
      'Send it to whom you invite. It is never shown again, and works once. Left out where it was sent by mail.',
  })
  readonly inviteUrl?: string;
}

export class InvitesAnswer {
  @ListField(() => InviteAnswer, { about: 'Those that can still be used, newest first.' })
  readonly invites: readonly InviteAnswer[];
}

class ActorAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 254, optional: true }) readonly email?: string;
}

export class AuditEntryAnswer {
  @TextField({ max: 20 }) readonly id: string;
  @WhenField() readonly at: string;
  @ObjectField(() => ActorAnswer) readonly who: ActorAnswer;
  @ChoiceField(AUDIT_ACTION_NAMES) readonly deed: string;
  @TextField({ max: 2_000, about: 'What they did, in words.' }) readonly text: string;
  @TextField({ max: 60, about: 'What they did it to.', optional: true }) readonly subject?: string;
  @TextField({ max: 60, about: 'From where.' }) readonly ip: string;
  @TextField({ max: 100 }) readonly requestId: string;
}

export class OrganisationAuditAnswer {
  @ListField(() => AuditEntryAnswer, { about: 'Newest first.' })
  readonly entries: readonly AuditEntryAnswer[];
  @SchemaField(
    { about: 'Send it as `cursor` for the next page; null on the last one.' },
    { oneOf: [{ type: 'string' }, { type: 'null' }] },
  )
  readonly nextCursor: string | null;
}

export class AuditQuery {
  @ChoiceField(AUDIT_ACTION_NAMES, { optional: true }) readonly deed?: AuditAction;
  @TextField({ max: 60, optional: true }) readonly member?: string;
}

export class AuditPageQuery extends PageQuery {
  @ChoiceField(AUDIT_ACTION_NAMES, { optional: true }) readonly deed?: AuditAction;
  @TextField({ max: 60, optional: true }) readonly member?: string;
}
