import { useState } from 'preact/hooks';

import { type Schemas, call } from '../api.ts';
import { ROLES } from '../roles.ts';
import { show, switchTo } from '../shell.tsx';
import { Problem } from '../ui.tsx';
import { useAction, useLoaded } from '../use.ts';

const TOKEN = decodeURIComponent(location.pathname.split('/').at(-1) ?? '');

const InvitePage = () => {
  const { data } = useLoaded((signal) => call('get', '/v1/account', { signal }), []);
  const [joined, setJoined] = useState<Schemas['OrganisationAnswer']>();
  const join = useAction(async () => {
    const { organisation } = await call('post', '/v1/account/invites/{token}/accept', {
      at: { token: TOKEN },
    });
    setJoined(organisation);
  });
  return (
    <div class="entrance stack">
      <h1>{joined === undefined ? 'You are invited' : `Welcome to ${joined.name}`}</h1>
      <div role="status">
        {joined === undefined ? (
          <p class="soft">
            You are invited to share a balance. You join as <strong>{data?.email ?? '…'}</strong>; your own
            balance and keys stay yours alone.
          </p>
        ) : (
          <p class="soft">
            Your role is {joined.role}: {ROLES[joined.role]}.
          </p>
        )}
      </div>
      <Problem error={join.error} />
      {joined === undefined ? (
        <div class="actions">
          <button type="button" class="primary" disabled={join.running} onClick={() => void join.run()}>
            Join
          </button>
        </div>
      ) : (
        <div class="actions">
          <button type="button" class="primary" onClick={() => switchTo(joined.id, 'account/organisation')}>
            Go there
          </button>
        </div>
      )}
    </div>
  );
};

show(<InvitePage />);
