import { useEffect, useState } from 'preact/hooks';

import { call } from './api.ts';
import { Problem } from './ui.tsx';
import { useAction } from './use.ts';

/** The token of a mailed link. It is behind `#`, because browsers never send that part to a server. */
const token = /^#prove=([\w.-]+)$/.exec(location.hash)?.[1];

/** Asks for the proof of the address, or gives the proof if a mailed link opened the page. */
export const AddressProof = ({
  email,
  onProven,
}: {
  readonly email: string;
  readonly onProven: () => void;
}) => {
  const [sent, setSent] = useState(false);
  const send = useAction(async () => {
    setSent(false);
    await call('post', '/v1/account/address-proof/mail');
    setSent(true);
  });
  const prove = useAction(async () => {
    if (token === undefined) return;
    history.replaceState(null, '', location.pathname);
    await call('post', '/v1/account/address-proof', { body: { token } });
    onProven();
  });
  useEffect(() => void prove.run(), []);
  return (
    <section class="notice stack" aria-label="Your address is not proven">
      <p>
        Your address is not proven yet. Until then you can't make keys and invites, top up, add an
        authenticator app or a passkey, or close the account. Open the link in the mail to {email}.
      </p>
      <div class="actions">
        <button type="button" disabled={send.running} onClick={() => void send.run()}>
          Send the link again
        </button>
      </div>
      <div role="status">{sent ? <p>The mail is sent.</p> : null}</div>
      <Problem error={prove.error ?? send.error} />
    </section>
  );
};
