import { useState } from 'preact/hooks';

import { type Schemas, call } from '../parts/api.ts';
import { date } from '../parts/format.ts';
import { addPasskey, canUsePasskeys } from './passkey.ts';
import { type Proof, ProofForm } from './proof.tsx';
import { Dialog, TextInput } from '../parts/ui.tsx';

type Passkey = Schemas['PasskeyAnswer'];

interface ChangeProps {
  readonly hasCode: boolean;
  readonly onDone: () => void;
}

const Add = ({ hasCode, onDone }: ChangeProps) => {
  const add = async (proof: Proof, { name = '' }: Readonly<Record<string, string>>): Promise<void> => {
    await addPasskey(name.trim(), proof);
    onDone();
  };
  return (
    <ProofForm hasCode={hasCode} action="Add it" onSend={add} onCancel={onDone}>
      <TextInput
        label="Name"
        name="name"
        required
        maxLength={100}
        autoComplete="off"
        hint="Such as: my phone."
      />
    </ProofForm>
  );
};

const Remove = ({ passkey: { id, name }, hasCode, onDone }: ChangeProps & { readonly passkey: Passkey }) => {
  const remove = async (proof: Proof): Promise<void> => {
    await call('post', '/v1/account/passkeys/remove', { body: { id, ...proof } });
    onDone();
  };
  return (
    <ProofForm hasCode={hasCode} action="Remove the passkey" isDanger onSend={remove} onCancel={onDone}>
      <p>{name} signs in no more.</p>
    </ProofForm>
  );
};

export const Passkeys = ({
  passkeys,
  arePossible,
  hasCode,
  onChange,
}: {
  readonly passkeys: readonly Passkey[];
  readonly arePossible: boolean;
  readonly hasCode: boolean;
  readonly onChange: () => void;
}) => {
  const [opened, open] = useState<'add' | Passkey>();
  const done = (): void => {
    open(undefined);
    onChange();
  };
  const isOn = arePossible && canUsePasskeys();
  return (
    <section class="card stack" aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      <p>
        {isOn
          ? 'Your phone or computer signs you in without a password and without a code.'
          : 'Passkeys need a newer browser, and a service with a host name instead of an IP address.'}
      </p>
      {passkeys.length === 0 ? null : (
        <ul class="plain stack" aria-label="Passkeys">
          {passkeys.map((passkey) => (
            <li class="row apart" key={passkey.id}>
              <div>
                <p class="strong breaks">{passkey.name}</p>
                <p class="soft">
                  Since {date(passkey.createdAt)}
                  {passkey.usedAt === undefined ? ', not used yet' : `, last used ${date(passkey.usedAt)}`}
                </p>
              </div>
              <button
                type="button"
                class="small danger"
                aria-label={`Remove the passkey ${passkey.name}`}
                onClick={() => open(passkey)}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      {isOn ? (
        <div class="actions">
          <button type="button" onClick={() => open('add')}>
            Add a passkey
          </button>
        </div>
      ) : null}
      {opened === undefined ? null : (
        <Dialog title={opened === 'add' ? 'Add a passkey' : 'Remove a passkey'} onClose={done}>
          {opened === 'add' ? (
            <Add hasCode={hasCode} onDone={done} />
          ) : (
            <Remove passkey={opened} hasCode={hasCode} onDone={done} />
          )}
        </Dialog>
      )}
    </section>
  );
};
