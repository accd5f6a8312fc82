import { useState } from 'preact/hooks';

import { type Schemas, call } from './api.ts';
import { count, money } from './format.ts';
import { ProofFields, otherThanProof, proofIn } from './proof.tsx';
import { switchTo } from './shell.tsx';
import { Dialog, Form, Loading, Problem } from './ui.tsx';
import { useAction, useLoaded } from './use.ts';

type Organisation = Schemas['AccountAnswer']['organisation'];

/** What ends and what is left, before the proof. */
const Deleting = ({
  organisation: { id, name },
  onCancel,
}: {
  readonly organisation: Organisation;
  readonly onCancel: () => void;
}) => {
  const at = { org: id };
  const { data, error } = useLoaded(
    async (signal) => {
      const [ending, security] = await Promise.all([
        call('get', '/v1/account/organisations/{org}/close', { at, signal }),
        call('get', '/v1/account/security', { signal }),
      ]);
      return { ...ending, hasCode: security.secondFactor.on };
    },
    [id],
  );
  const close = useAction(async (fields: Readonly<Record<string, string>>) => {
    const leaveMicro = data?.leaveMicro ?? 0;
    await call('post', '/v1/account/organisations/{org}/close', {
      at,
      body: { ...proofIn(fields), leaveMicro },
    });
    switchTo(undefined);
  });
  if (data === undefined) return error === undefined ? <Loading rows={3} /> : <Problem error={error} />;
  return (
    <Form onSend={close.run}>
      <p>
        {count(data.keys, 'key')} of {name} end at once, with its webhooks and invites. {data.otherMembers}{' '}
        other {data.otherMembers === 1 ? 'member loses' : 'members lose'} access.
      </p>
      <p>
        {data.leaveMicro === 0
          ? 'There is no balance left.'
          : `You leave ${money(data.leaveMicro)} behind, which nobody pays out by itself.`}
      </p>
      <ProofFields hasCode={data.hasCode} error={close.error} />
      <Problem error={otherThanProof(close.error)} />
      <div class="actions">
        <button type="button" onClick={onCancel}>
          Keep it
        </button>
        <button class="danger" disabled={close.running}>
          {data.leaveMicro === 0 ? 'Delete it for good' : `Delete it and leave ${money(data.leaveMicro)}`}
        </button>
      </div>
    </Form>
  );
};

export const DeleteOrganisation = ({ organisation }: { readonly organisation: Organisation }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="card stack" aria-labelledby="delete">
      <h2 id="delete">Delete the organisation</h2>
      <p>Its keys, webhooks and memberships end. Only an operator can open it again.</p>
      <div class="actions">
        <button type="button" class="danger" onClick={() => setOpen(true)}>
          Delete {organisation.name}
        </button>
      </div>
      {isOpen ? (
        <Dialog title={`Delete ${organisation.name}`} onClose={() => setOpen(false)}>
          <Deleting organisation={organisation} onCancel={() => setOpen(false)} />
        </Dialog>
      ) : null}
    </section>
  );
};
