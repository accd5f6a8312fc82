import { useState } from 'preact/hooks';

import { type Schemas, call } from '../parts/api.ts';
import { count, money } from '../parts/format.ts';
import { type Proof, ProofForm } from '../account/proof.tsx';
import { switchTo } from '../parts/shell.tsx';
import { Dialog, Loading, Problem } from '../parts/ui.tsx';
import { useLoaded } from '../parts/use.ts';

type Organisation = Schemas['AccountAnswer']['organisation'];

/** Lists the consequences of the deletion, before the proof is asked for. */
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
  if (data === undefined) return error === undefined ? <Loading rows={3} /> : <Problem error={error} />;
  const close = async (proof: Proof): Promise<void> => {
    const body = { ...proof, leaveMicro: data.leaveMicro };
    await call('post', '/v1/account/organisations/{org}/close', { at, body });
    switchTo(undefined);
  };
  return (
    <ProofForm
      hasCode={data.hasCode}
      action={data.leaveMicro === 0 ? 'Delete it for good' : `Delete it and leave ${money(data.leaveMicro)}`}
      isDanger
      onSend={close}
      onCancel={onCancel}
    >
      <p>
        {count(data.keys, 'key')} of {name} end at once, with its webhooks and invites. {data.otherMembers}{' '}
        other {data.otherMembers === 1 ? 'member loses' : 'members lose'} access.
      </p>
      <p>
        {data.leaveMicro === 0
          ? 'There is no balance left.'
          : `You leave ${money(data.leaveMicro)} behind. It is not paid out.`}
      </p>
    </ProofForm>
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
