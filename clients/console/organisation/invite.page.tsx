import { useState } from 'preact/hooks';

import { type Schemas, call } from '../parts/api.ts';
import { time } from '../parts/format.ts';
import { ROLES, type Role } from './roles.ts';
import { facts, show, switchTo } from '../parts/shell.tsx';
import { Loading, Problem } from '../parts/ui.tsx';
import { useAction, useLoaded } from '../parts/use.ts';

const TOKEN = decodeURIComponent(location.pathname.split('/').at(-1) ?? '');
const NEXT = `next=${encodeURIComponent(`account/invites/${TOKEN}`)}`;

type Offer = Schemas['InviteOfferAnswer'];

/** Shows the inviter, the organisation and the role, before the person accepts. */
const Offered = ({ offer }: { readonly offer: Offer }) => (
  <dl class="facts">
    <div>
      <dt>Organisation</dt>
      <dd class="breaks">{offer.organisation}</dd>
    </div>
    <div>
      <dt>Invited by</dt>
      <dd class="breaks">{offer.invitedBy}</dd>
    </div>
    <div>
      <dt>Role</dt>
      <dd>{offer.role}</dd>
    </div>
  </dl>
);

const roleText = (role: string): string => ROLES[role as Role];

const Entrances = ({ offer }: { readonly offer: Offer }) => (
  <>
    <p>
      {offer.email === undefined ? 'Anyone with this link can join.' : `Only ${offer.email} can join.`} Sign
      in, or make an account first: you come back here.
    </p>
    <div class="actions">
      <a class="button" href={`account/sign-in?${NEXT}`}>
        Sign in to join
      </a>
      <a class="button primary" href={`account/sign-up?${NEXT}`}>
        Make an account
      </a>
    </div>
  </>
);

const Joining = ({
  offer,
  onJoined,
}: {
  readonly offer: Offer;
  readonly onJoined: (organisation: Schemas['OrganisationAnswer']) => void;
}) => {
  const { data } = useLoaded((signal) => call('get', '/v1/account', { signal }), []);
  const join = useAction(async () => {
    const { organisation } = await call('post', '/v1/account/invites/{token}/accept', {
      at: { token: TOKEN },
    });
    onJoined(organisation);
  });
  return (
    <>
      <p>
        You join as <strong class="breaks">{data?.email ?? '…'}</strong>. Your own balance and keys stay yours
        alone.
        {offer.email === undefined || data === undefined || offer.email === data.email
          ? ''
          : ` This invite is for ${offer.email}: sign in with that address.`}
      </p>
      <Problem error={join.error} />
      <div class="actions">
        <button type="button" class="primary" disabled={join.running} onClick={() => void join.run()}>
          Join
        </button>
      </div>
    </>
  );
};

const InvitePage = () => {
  const { data, error } = useLoaded(
    (signal) => call('get', '/v1/account/invites/{token}', { at: { token: TOKEN }, signal }),
    [],
  );
  const [joined, setJoined] = useState<Schemas['OrganisationAnswer']>();
  if (joined !== undefined) {
    return (
      <div class="entrance stack">
        <h1 class="breaks">Welcome to {joined.name}</h1>
        <p class="soft" role="status">
          Your role is {joined.role}: {roleText(joined.role)}.
        </p>
        <div class="actions">
          <button type="button" class="primary" onClick={() => switchTo(joined.id, 'account/organisation')}>
            Go there
          </button>
        </div>
      </div>
    );
  }
  return (
    <div class="entrance stack">
      <h1>You are invited</h1>
      <Problem error={error} />
      {data === undefined ? (
        error === undefined && <Loading rows={5} />
      ) : (
        <>
          <Offered offer={data} />
          <p class="soft">
            Its members share one balance. The role {data.role}: {roleText(data.role)}. The invite expires at{' '}
            {time(data.expiresAt)}.
          </p>
          {facts.signedIn ? <Joining offer={data} onJoined={setJoined} /> : <Entrances offer={data} />}
        </>
      )}
    </div>
  );
};

show(<InvitePage />);
