import { NextCursorField, PageQuery } from '#platform/http/routes/page-query';
import { ROLES } from '#people/accounts/roles';
import {
  AmountField,
  ChoiceField,
  FlagField,
  ListField,
  NoSlipOf,
  ObjectField,
  SchemaField,
  TextField,
  WhenField,
} from '#platform/http/routes/fields';
import { AUDIT_ACTION_NAMES } from '#people/accounts/audit/audit-action';

const CLOSED = 'The operator has closed it.';

export class NewOrganisationBody {
  @TextField({ min: 1, max: 100, pattern: '\\S', example: 'Acme Robots' }) readonly name: string;
}

export class OrganisationAnswer {
  @TextField({ max: 60, about: 'The id of the organisation, for the header `X-Organisation`.' })
  readonly id: string;
  @TextField({ max: 254, about: 'The name of the organisation; for your own one, your email address.' })
  readonly name: string;
  @ChoiceField(ROLES, { about: 'Your role in the organisation.' }) readonly role: string;
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

const SPENT =
  'This month (UTC), by session and by the keys that they made, in micro-USD. Owners and admins see it of all members, others of themselves.';
const BUDGET =
  'What they may spend in a month (UTC), in micro-USD; null is no limit. Shown to the same members.';
const BUDGET_SCHEMA = {
  oneOf: [{ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, { type: 'null' }],
};

export class MemberAnswer {
  @TextField({ max: 60, about: "The id of the member's account." }) readonly id: string;
  @TextField({ max: 254 }) readonly email: string;
  @ChoiceField(ROLES) readonly role: string;
  @WhenField() readonly joinedAt: string;
  @FlagField({ about: CLOSED }) readonly closed: boolean;
  @AmountField({ optional: true, about: SPENT })
  readonly spentMicro?: number;
  @SchemaField({ optional: true, about: BUDGET }, BUDGET_SCHEMA) readonly budgetMicro?: number | null;
}

export class MemberBudgetBody {
  @SchemaField(
    {
      about: 'What they may spend in a month (UTC), in micro-USD; null removes the limit.',
      example: 20_000_000,
    },
    BUDGET_SCHEMA,
  )
  readonly budgetMicro: number | null;
}

export class MembersAnswer {
  @ListField(() => MemberAnswer, { about: 'In the order in which they joined.' })
  readonly members: readonly MemberAnswer[];
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
      'The email address of the invited person, to which the link is sent. If the service sends no mail, this ' +
      'address only keeps out accounts with other addresses. It then proves nothing, because anybody can register ' +
      'an address.',
    example: 'bob@example.com',
  })
  readonly email?: string;
}

export class InviteAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @ChoiceField(ROLES) readonly role: string;
  @TextField({ max: 254, optional: true }) readonly email?: string;
  @FlagField({
    about: 'Whether the link was sent by mail to this address alone. If not, the address is not proven.',
  })
  readonly emailProven: boolean;
  @TextField({ max: 60, about: 'The member who made the invite.' }) readonly invitedBy: string;
  @WhenField() readonly createdAt: string;
  @WhenField() readonly expiresAt: string;
}

export class NewInviteAnswer extends InviteAnswer {
  @TextField({
    max: 600,
    optional: true,
    about:
      'Send this link to the invited person. It is shown only now, and works once. Absent if the service sent it ' +
      'by mail.',
  })
  readonly inviteUrl?: string;
}

/** The content of an invite for its recipient, who may not have an account yet. */
export class InviteOfferAnswer {
  @TextField({ max: 254, about: 'The name of the organisation.' }) readonly organisation: string;
  @TextField({ max: 254, about: 'The email address of the member who invites.' }) readonly invitedBy: string;
  @ChoiceField(ROLES, { about: 'The role after joining.' }) readonly role: string;
  @TextField({ max: 254, optional: true, about: 'The only address that may accept it.' })
  readonly email?: string;
  @WhenField() readonly expiresAt: string;
}

export class InvitesAnswer {
  @ListField(() => InviteAnswer, { about: 'Invites that can still be used, newest first.' })
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
  @ChoiceField(AUDIT_ACTION_NAMES) readonly action: string;
  @TextField({ max: 2_000, about: 'A text about the action.' }) readonly text: string;
  @TextField({ max: 60, about: 'The object of the action.', optional: true }) readonly subject?: string;
  @TextField({ max: 60, about: 'The IP address of the call.' }) readonly ip: string;
  @TextField({ max: 100 }) readonly requestId: string;
}

export class OrganisationAuditAnswer {
  @ListField(() => AuditEntryAnswer, { about: 'Newest first.' })
  readonly entries: readonly AuditEntryAnswer[];
  @NextCursorField() readonly nextCursor: string | null;
}

export class AuditQuery {
  @ChoiceField(AUDIT_ACTION_NAMES, { optional: true }) readonly action?: string;
  @TextField({ max: 60, optional: true }) readonly member?: string;
}

export class AuditPageQuery extends PageQuery {
  @ChoiceField(AUDIT_ACTION_NAMES, { optional: true }) readonly action?: string;
  @TextField({ max: 60, optional: true }) readonly member?: string;
}
