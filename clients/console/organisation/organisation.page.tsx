import { useState } from 'preact/hooks';

import { type Schemas, call } from '../parts/api.ts';
import { DeleteOrganisation } from './delete-organisation.tsx';
import { date, microOf, money, time } from '../parts/format.ts';
import { ROLES, type Role, rolesToGive } from './roles.ts';
import { show, switchTo } from '../parts/shell.tsx';
import {
  Badge,
  Code,
  Confirm,
  Dialog,
  FormDialog,
  Loading,
  Problem,
  Select,
  TextInput,
} from '../parts/ui.tsx';
import { useAction, useLoaded } from '../parts/use.ts';

type Acting = Schemas['AccountAnswer'];
type Member = Schemas['MemberAnswer'];
type Invite = Schemas['InviteAnswer'];
type NewInvite = Schemas['NewInviteAnswer'];
type Fields = Readonly<Record<string, string>>;

const choicesOf = (roles: readonly Role[]) =>
  roles.map((value) => ({ value, text: `${value}: ${ROLES[value]}` }));

const NewOrganisation = ({ onClose }: { readonly onClose: () => void }) => {
  const make = async ({ name = '' }: Fields): Promise<void> => {
    switchTo((await call('post', '/v1/account/organisations', { body: { name } })).id);
  };
  return (
    <FormDialog title="New organisation" action="Make it" onSend={make} onClose={onClose}>
      <TextInput
        label="Name"
        name="name"
        required
        maxLength={100}
        autoComplete="organization"
        hint="It has a balance, keys and webhooks of its own. You are its owner."
      />
    </FormDialog>
  );
};

const Renaming = ({
  organisation: { id, name },
  onDone,
  onClose,
}: {
  readonly organisation: Acting['organisation'];
  readonly onDone: () => void;
  readonly onClose: () => void;
}) => {
  const rename = async ({ name: next = '' }: Readonly<Record<string, string>>) => {
    await call('patch', '/v1/account/organisations/{org}', { at: { org: id }, body: { name: next } });
    onDone();
  };
  return (
    <FormDialog title={`Rename ${name}`} action="Rename it" onSend={rename} onClose={onClose}>
      <TextInput
        label="Name"
        name="name"
        required
        maxLength={100}
        defaultValue={name}
        autoComplete="organization"
        hint="Members, invites and the audit show it. Keys and bills stay as they are."
      />
    </FormDialog>
  );
};

/** Asks for the new member, and shows the link. No other page can show it. */
const Inviting = ({
  acting: { organisation },
  onMade,
  onClose,
}: {
  readonly acting: Acting;
  readonly onMade: () => void;
  readonly onClose: () => void;
}) => {
  const [role, setRole] = useState<Role>('developer');
  const [made, setMade] = useState<NewInvite>();
  const invite = async ({ email = '' }: Fields): Promise<void> => {
    const body = { role, ...(email.trim() === '' ? {} : { email: email.trim() }) };
    setMade(
      await call('post', '/v1/account/organisations/{org}/invites', { at: { org: organisation.id }, body }),
    );
    onMade();
  };
  if (made !== undefined)
    return (
      <Dialog title="The invite" onClose={onClose}>
        {made.inviteUrl === undefined ? (
          <p>
            The link was sent to {made.email}. It lets one person in, until {time(made.expiresAt)}.
          </p>
        ) : (
          <>
            <p>
              Send this link to {made.email ?? 'whom you invite'}. It lets one person in, until{' '}
              {time(made.expiresAt)}, and is never shown again.
            </p>
            <Code text={made.inviteUrl} what="the link" />
          </>
        )}
        <div class="actions">
          <button type="button" class="primary" onClick={onClose}>
            I have it
          </button>
        </div>
      </Dialog>
    );
  return (
    <FormDialog title="Invite somebody" action="Make the link" onSend={invite} onClose={onClose}>
      <Select
        label="Role"
        choices={choicesOf(rolesToGive(organisation.role))}
        value={role}
        onChoose={(value) => setRole(value as Role)}
      />
      <TextInput
        label="Email"
        name="email"
        type="email"
        autoComplete="off"
        hint="Only this address can accept it. Leave it empty, and anyone with the link can."
      />
    </FormDialog>
  );
};

/**
 * Asks for a role in a dialog. If the list itself applied changes, each press of an arrow key would change the role.
 */
const RoleChange = ({
  member,
  acting: { organisation },
  onDone,
  onClose,
}: {
  readonly member: Member;
  readonly acting: Acting;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) => {
  const [role, setRole] = useState<Role>(member.role);
  const change = async (): Promise<void> => {
    const at = { org: organisation.id, member: member.id };
    await call('patch', '/v1/account/organisations/{org}/members/{member}', { at, body: { role } });
    onDone();
  };
  return (
    <FormDialog title={`Role of ${member.email}`} action="Give it" onSend={change} onClose={onClose}>
      <Select
        label="Role"
        choices={choicesOf(rolesToGive(organisation.role))}
        value={role}
        onChoose={(value) => setRole(value as Role)}
      />
      {role === 'billing' || role === 'viewer' ? (
        <p class="soft">The keys that they have made are disabled, and all keys below them.</p>
      ) : null}
    </FormDialog>
  );
};

const BudgetChange = ({
  member,
  acting: { organisation },
  onDone,
  onClose,
}: {
  readonly member: Member;
  readonly acting: Acting;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) => {
  const change = async ({ usd = '' }: Fields): Promise<void> => {
    const at = { org: organisation.id, member: member.id };
    // The service rejects a value that is no amount.
    const body = { budgetMicro: usd.trim() === '' ? null : (microOf(usd) ?? -1) };
    await call('put', '/v1/account/organisations/{org}/members/{member}/budget', { at, body });
    onDone();
  };
  const { budgetMicro = null } = member;
  return (
    <FormDialog
      title={`Budget of ${member.email}`}
      action="Save the budget"
      onSend={change}
      onClose={onClose}
    >
      <TextInput
        label="Budget of a month, in USD"
        name="usd"
        inputMode="decimal"
        autoComplete="off"
        placeholder="no limit"
        defaultValue={budgetMicro === null ? '' : String(budgetMicro / 1e6)}
        hint="Calls beyond it are refused. A month begins on the first day, in UTC. Empty is no limit."
      />
    </FormDialog>
  );
};

/** The spending of this month. Members see only their own. A person has no budget in their own account. */
const Spending = ({ member: { spentMicro, budgetMicro = null } }: { readonly member: Member }) =>
  spentMicro === undefined ? null : (
    <p class="soft">
      {money(spentMicro)} spent this month
      {budgetMicro === null ? ', without a limit' : ` of ${money(budgetMicro)}`}
    </p>
  );

const MemberLine = ({
  member,
  acting,
  onChange,
}: {
  readonly member: Member;
  readonly acting: Acting;
  readonly onChange: () => void;
}) => {
  const { id: self, organisation } = acting;
  const isSelf = member.id === self;
  const isOwn = member.id === organisation.id;
  const isOther = !isSelf && !isOwn;
  const may = isOther && organisation.may.includes('PATCH /v1/account/organisations/:org/members/:member');
  const canChange = may && (member.role !== 'owner' || organisation.role === 'owner');
  const canLimit =
    !isOwn &&
    organisation.may.includes('PUT /v1/account/organisations/:org/members/:member/budget') &&
    (organisation.role === 'owner' || (!isSelf && member.role !== 'owner'));
  const [asking, setAsking] = useState<'role' | 'remove' | 'budget'>();
  const done = (): void => {
    setAsking(undefined);
    onChange();
  };
  const remove = useAction(async () => {
    const at = { org: organisation.id, member: member.id };
    await call('delete', '/v1/account/organisations/{org}/members/{member}', { at });
    if (isSelf) switchTo(undefined);
    else done();
  });
  return (
    <li class="card key">
      <div>
        <h3>{member.email}</h3>
        <p class="soft">
          {isSelf ? 'You, since ' : 'Since '}
          {date(member.joinedAt)}
        </p>
        <Spending member={member} />
      </div>
      <Badge tone={member.closed ? 'bad' : 'calm'}>{member.closed ? 'closed' : member.role}</Badge>
      {canChange || (isSelf && !isOwn) ? (
        <div class="row">
          {canLimit ? (
            <button
              type="button"
              class="small"
              aria-label={`Budget of ${member.email}`}
              onClick={() => setAsking('budget')}
            >
              Budget
            </button>
          ) : null}
          {canChange ? (
            <button
              type="button"
              class="small"
              aria-label={`Role of ${member.email}`}
              onClick={() => setAsking('role')}
            >
              Role
            </button>
          ) : null}
          <button
            type="button"
            class="small danger"
            aria-label={isSelf ? `Leave ${organisation.name}` : `Remove ${member.email}`}
            onClick={() => setAsking('remove')}
          >
            {isSelf ? 'Leave' : 'Remove'}
          </button>
        </div>
      ) : null}
      {asking === 'role' ? (
        <RoleChange member={member} acting={acting} onDone={done} onClose={() => setAsking(undefined)} />
      ) : null}
      {asking === 'budget' ? (
        <BudgetChange member={member} acting={acting} onDone={done} onClose={() => setAsking(undefined)} />
      ) : null}
      {asking === 'remove' ? (
        <Confirm
          title={isSelf ? `Leave ${organisation.name}?` : `Remove ${member.email}?`}
          action={isSelf ? 'Leave' : 'Remove'}
          keep={isSelf ? 'Stay' : 'Let them stay'}
          running={remove.running}
          error={remove.error}
          onYes={() => void remove.run()}
          onNo={() => setAsking(undefined)}
        >
          <p>
            {isSelf ? 'The keys that you have made' : 'The keys that they have made'} there are disabled, and
            all keys below them. Running calls continue to their end.
          </p>
        </Confirm>
      ) : null}
    </li>
  );
};

const Invites = ({ acting, turn }: { readonly acting: Acting; readonly turn: number }) => {
  const org = acting.organisation.id;
  const { data, error, reload } = useLoaded(
    (signal) => call('get', '/v1/account/organisations/{org}/invites', { at: { org }, signal }),
    [turn],
  );
  const withdraw = useAction(async ({ id }: Invite) => {
    const at = { org, invite: id };
    await call('delete', '/v1/account/organisations/{org}/invites/{invite}', { at });
    reload();
  });
  return (
    <section class="stack" aria-labelledby="invites">
      <h2 id="invites">Open invites</h2>
      <Problem error={error ?? withdraw.error} />
      {data?.invites.length === 0 ? <p class="soft">There are none.</p> : null}
      <ul class="plain stack">
        {data?.invites.map((invite) => (
          <li key={invite.id} class="card row apart">
            <div>
              <p class="strong breaks">{invite.email ?? 'Anyone with the link'}</p>
              <p class="soft">
                As {invite.role}, until {time(invite.expiresAt)}
              </p>
            </div>
            <button
              type="button"
              class="small danger"
              aria-label={`Withdraw the invite of ${invite.email ?? 'anyone with the link'}, ${time(invite.expiresAt)}`}
              disabled={withdraw.running}
              onClick={() => void withdraw.run(invite)}
            >
              Withdraw
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
};

const Members = ({ acting, turn }: { readonly acting: Acting; readonly turn: number }) => {
  const org = acting.organisation.id;
  const { data, error, reload } = useLoaded(
    (signal) => call('get', '/v1/account/organisations/{org}/members', { at: { org }, signal }),
    [turn],
  );
  return (
    <section class="stack" aria-labelledby="members">
      <h2 id="members">Members</h2>
      <Problem error={error} />
      {data === undefined && error === undefined ? <Loading /> : null}
      <ul class="plain stack">
        {data?.members.map((member) => (
          <MemberLine
            key={`${member.id} ${member.role} ${member.budgetMicro}`}
            member={member}
            acting={acting}
            onChange={reload}
          />
        ))}
      </ul>
    </section>
  );
};

const OrganisationPage = () => {
  const { data: acting, error, reload } = useLoaded((signal) => call('get', '/v1/account', { signal }), []);
  const [asking, setAsking] = useState<'organisation' | 'invite' | 'name'>();
  const [turn, setTurn] = useState(0);
  const close = (): void => setAsking(undefined);
  const isOwn = acting?.organisation.id === acting?.id;
  const leads = acting?.organisation.may.includes('POST /v1/account/organisations/:org/invites') === true;
  return (
    <>
      <div class="head">
        <div>
          <h1 class="breaks">
            {acting === undefined || isOwn ? 'Your own organisation' : acting.organisation.name}
          </h1>
          <p>
            {isOwn
              ? 'Your account. Members whom you invite spend its credits; for a team, create an organisation.'
              : 'One balance, shared by all of its members.'}
          </p>
        </div>
        <div class="row">
          {leads ? (
            <a class="button" href="account/organisation/audit">
              Audit
            </a>
          ) : null}
          {acting !== undefined &&
          !isOwn &&
          acting.organisation.may.includes('PATCH /v1/account/organisations/:org') ? (
            <button type="button" onClick={() => setAsking('name')}>
              Rename
            </button>
          ) : null}
          <button type="button" onClick={() => setAsking('organisation')}>
            New organisation
          </button>
          {leads ? (
            <button type="button" class="primary" onClick={() => setAsking('invite')}>
              Invite
            </button>
          ) : null}
        </div>
      </div>
      <Problem error={error} />
      {acting === undefined ? (
        error === undefined && <Loading />
      ) : (
        <>
          <Members acting={acting} turn={turn} />
          {leads ? <Invites acting={acting} turn={turn} /> : null}
          {!isOwn && acting.organisation.may.includes('POST /v1/account/organisations/:org/close') ? (
            <DeleteOrganisation organisation={acting.organisation} />
          ) : null}
        </>
      )}
      {asking === 'organisation' ? <NewOrganisation onClose={close} /> : null}
      {asking === 'name' && acting !== undefined ? (
        <Renaming
          organisation={acting.organisation}
          onDone={() => {
            close();
            reload();
          }}
          onClose={close}
        />
      ) : null}
      {asking === 'invite' && acting !== undefined ? (
        <Inviting acting={acting} onMade={() => setTurn((before) => before + 1)} onClose={close} />
      ) : null}
    </>
  );
};

show(<OrganisationPage />);
