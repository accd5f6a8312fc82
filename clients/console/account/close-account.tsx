import { useState } from 'preact/hooks';

import { call } from '../parts/api.ts';
import { money } from '../parts/format.ts';
import { actFor } from '../parts/organisation.ts';
import { ProofFields, otherThanProof, proofIn } from './proof.tsx';
import { Dialog, Form, Loading, Problem } from '../parts/ui.tsx';
import { useAction, useLoaded } from '../parts/use.ts';

type Fields = Readonly<Record<string, string>>;

const Close = ({ hasCode, onCancel }: { readonly hasCode: boolean; readonly onCancel: () => void }) => {
  const { data, error } = useLoaded((signal) => call('get', '/v1/account/close', { signal }), []);
  const close = useAction(async (fields: Fields) => {
    const leaveMicro = data?.leaveMicro ?? 0;
    await call('post', '/v1/account/close', { body: { ...proofIn(fields), leaveMicro } });
    actFor(undefined);
    location.assign(document.baseURI);
  });
  if (data === undefined) return error === undefined ? <Loading rows={3} /> : <Problem error={error} />;
  const [own, ...others] = data.organisations;
  return (
    <Form onSend={close.run}>
      <p>
        Your keys, webhooks and invites are deleted at once, and you are signed out everywhere.{' '}
        {data.leaveMicro === 0
          ? 'There is no balance left.'
          : `You leave ${money(data.leaveMicro)} behind. It is not paid out.`}
      </p>
      {others.length === 0 ? null : (
        <p>
          These organisations have no other member and end as well:{' '}
          {others.map(({ name }) => name).join(', ')}.
        </p>
      )}
      {own === undefined || own.otherMembers === 0 ? null : (
        <p>{own.otherMembers} other members lose their access to your own account.</p>
      )}
      {data.needOwner.length === 0 ? (
        <ProofFields hasCode={hasCode} error={close.error} />
      ) : (
        <p class="notice bad">
          You are the last owner of {data.needOwner.map(({ name }) => name).join(', ')}. Make another member
          an owner first.
        </p>
      )}
      <Problem error={otherThanProof(close.error)} />
      <div class="actions">
        <button type="button" onClick={onCancel}>
          Keep it
        </button>
        {data.needOwner.length === 0 ? (
          <button class="danger" disabled={close.running}>
            Close it for good
          </button>
        ) : null}
      </div>
    </Form>
  );
};

export const CloseAccount = ({ hasCode }: { readonly hasCode: boolean }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="card stack" aria-labelledby="close">
      <h2 id="close">Close the account</h2>
      <p>It ends your keys, webhooks and sessions. Only an operator can open it again.</p>
      <div class="actions">
        <button type="button" class="danger" onClick={() => setOpen(true)}>
          Close the account
        </button>
      </div>
      {isOpen ? (
        <Dialog title="Close the account" onClose={() => setOpen(false)}>
          <Close hasCode={hasCode} onCancel={() => setOpen(false)} />
        </Dialog>
      ) : null}
    </section>
  );
};
