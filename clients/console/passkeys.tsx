import { useState } from 'preact/hooks';

import { type Schemas, call } from './api.ts';
import { date } from './format.ts';
import { addPasskey, canUsePasskeys } from './passkey.ts';
import { ProofFields, otherThanProof, proofIn } from './proof.tsx';
import { Dialog, Form, Problem, TextInput } from './ui.tsx';
import { useAction } from './use.ts';

type Fields = Readonly<Record<string, string>>;
type Passkey = Schemas['PasskeyAnswer'];

interface Wish {
  readonly hasCode: boolean;
  readonly onDone: () => void;
}

const Add = ({ hasCode, onDone }: Wish) => {
  const add = useAction(async (fields: Fields) => {
    await addPasskey((fields['name'] ?? '').trim(), proofIn(fields));
    onDone();
  });
  return (
    <Form onSend={add.run}>
      <TextInput
        label="Name"
        name="name"
        required
        maxLength={100}
        autoComplete="off"
        hint="Such as: my phone."
      />
      <ProofFields hasCode={hasCode} error={add.error} />
      <Problem error={otherThanProof(add.error)} />
      <div class="actions">
        <button type="button" onClick={onDone}>
          Cancel
        </button>
        <button class="primary" disabled={add.running}>
          Add it
        </button>
      </div>
    </Form>
  );
};

const Remove = ({ passkey: { id, name }, hasCode, onDone }: Wish & { readonly passkey: Passkey }) => {
  const remove = useAction(async (fields: Fields) => {
    await call('post', '/v1/account/passkeys/remove', { body: { id, ...proofIn(fields) } });
    onDone();
  });
  return (
    <Form onSend={remove.run}>
      <p>{name} signs in no more.</p>
      <ProofFields hasCode={hasCode} error={remove.error} />
      <Problem error={otherThanProof(remove.error)} />
      <div class="actions">
        <button type="button" onClick={onDone}>
          Keep it
        </button>
        <button class="danger" disabled={remove.running}>
          Remove the passkey
        </button>
      </div>
    </Form>
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
  const [asked, ask] = useState<'add' | Passkey>();
  const done = (): void => {
    ask(undefined);
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
                onClick={() => ask(passkey)}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      {isOn ? (
        <div class="actions">
          <button type="button" onClick={() => ask('add')}>
            Add a passkey
          </button>
        </div>
      ) : null}
      {asked === undefined ? null : (
        <Dialog title={asked === 'add' ? 'Add a passkey' : 'Remove a passkey'} onClose={done}>
          {asked === 'add' ? (
            <Add hasCode={hasCode} onDone={done} />
          ) : (
            <Remove passkey={asked} hasCode={hasCode} onDone={done} />
          )}
        </Dialog>
      )}
    </section>
  );
};
