import { useState } from 'preact/hooks';

import { type Schemas, call } from '../parts/api.ts';
import { date } from '../parts/format.ts';
import { CodeInput, type Proof, ProofForm, paramOf } from './proof.tsx';
import { Badge, Code, Dialog, Form, Problem } from '../parts/ui.tsx';
import { useAction } from '../parts/use.ts';

type Fields = Readonly<Record<string, string>>;
type Opened = 'set up' | 'renew' | 'remove';

const RecoveryCodes = ({
  codes,
  onDone,
}: {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}) => (
  <>
    <p>
      Each of these codes replaces one code of the app, once. Keep them where you keep your passwords: they
      are not shown again.
    </p>
    <Code text={codes.join('\n')} what="the recovery codes" />
    <div class="actions">
      <button type="button" class="primary" onClick={onDone}>
        I have saved them
      </button>
    </div>
  </>
);

/** The steps: a password, then the QR code with a field for the first code, then the recovery codes. */
const SetUp = ({ onDone }: { readonly onDone: () => void }) => {
  const [start, setStart] = useState<Schemas['SecondFactorStartAnswer']>();
  const [codes, setCodes] = useState<readonly string[]>();
  const begin = async (body: Proof): Promise<void> =>
    setStart(await call('post', '/v1/account/second-factor', { body }));
  const confirm = useAction(async ({ code = '' }: Fields) => {
    const answer = await call('post', '/v1/account/second-factor/confirm', { body: { code } });
    setCodes(answer.recoveryCodes);
  });
  if (codes !== undefined) return <RecoveryCodes codes={codes} onDone={onDone} />;
  return start === undefined ? (
    <ProofForm key="begin" hasCode={false} action="Continue" onSend={begin} onCancel={onDone} />
  ) : (
    <Form key="confirm" onSend={confirm.run}>
      <p>Scan this code with your authenticator app, or type the secret into it.</p>
      <p>
        <img
          src={`data:image/svg+xml,${encodeURIComponent(start.qr)}`}
          width={208}
          height={208}
          alt="QR code for an authenticator app"
        />
      </p>
      <Code text={start.secret} what="the secret" />
      <CodeInput error={confirm.error} focus hint="The six digits that the app shows now." />
      <Problem error={paramOf(confirm.error) === 'code' ? undefined : confirm.error} />
      <div class="actions">
        <button type="button" onClick={onDone}>
          Cancel
        </button>
        <button class="primary" disabled={confirm.running}>
          Turn it on
        </button>
      </div>
    </Form>
  );
};

const Renew = ({ onDone }: { readonly onDone: () => void }) => {
  const [codes, setCodes] = useState<readonly string[]>();
  const renew = async (body: Proof): Promise<void> => {
    const answer = await call('post', '/v1/account/second-factor/recovery-codes', { body });
    setCodes(answer.recoveryCodes);
  };
  if (codes !== undefined) return <RecoveryCodes codes={codes} onDone={onDone} />;
  return (
    <ProofForm hasCode={true} action="Make new codes" onSend={renew} onCancel={onDone}>
      <p>The old recovery codes end.</p>
    </ProofForm>
  );
};

const Remove = ({ onDone }: { readonly onDone: () => void }) => {
  const remove = async (body: Proof): Promise<void> => {
    await call('post', '/v1/account/second-factor/remove', { body });
    onDone();
  };
  return (
    <ProofForm hasCode={true} action="Remove the app" isDanger onSend={remove} onCancel={onDone}>
      <p>Your password alone signs you in again, and the recovery codes end.</p>
    </ProofForm>
  );
};

const TITLES: Readonly<Record<Opened, string>> = {
  'set up': 'Set up an authenticator app',
  renew: 'New recovery codes',
  remove: 'Remove the authenticator app',
};

export const SecondFactor = ({
  state: { on, since, recoveryCodesLeft },
  onChange,
}: {
  readonly state: Schemas['SecurityAnswer']['secondFactor'];
  readonly onChange: () => void;
}) => {
  const [opened, open] = useState<Opened>();
  const done = (): void => {
    open(undefined);
    onChange();
  };
  return (
    <section class="card stack" aria-labelledby="second-factor">
      <h2 id="second-factor">Authenticator app</h2>
      {on && since !== undefined ? (
        <p>
          <Badge tone="good">on</Badge> Since {date(since)}. {recoveryCodesLeft} recovery codes are left.
        </p>
      ) : (
        <p>Your sign-in then needs six digits of an app on your phone besides the password.</p>
      )}
      <div class="actions">
        {on ? (
          <>
            <button type="button" onClick={() => open('renew')}>
              New recovery codes
            </button>
            <button type="button" class="danger" onClick={() => open('remove')}>
              Remove the app
            </button>
          </>
        ) : (
          <button type="button" onClick={() => open('set up')}>
            Set up an app
          </button>
        )}
      </div>
      {opened === undefined ? null : (
        <Dialog title={TITLES[opened]} onClose={done}>
          {opened === 'set up' ? <SetUp onDone={done} /> : null}
          {opened === 'renew' ? <Renew onDone={done} /> : null}
          {opened === 'remove' ? <Remove onDone={done} /> : null}
        </Dialog>
      )}
    </section>
  );
};
