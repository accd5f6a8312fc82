import { useEffect, useState } from 'preact/hooks';

import { useAccount } from '../parts/allowed.tsx';
import { ApiError, call } from '../parts/api.ts';
import { Problem } from '../parts/ui.tsx';
import { useAction } from '../parts/use.ts';

/** The token of a mailed link. It is behind `#`, because browsers never send that part to a server. */
const tokenInAddress = (): string | undefined => /^#prove=([\w.-]+)$/.exec(location.hash)?.[1];

const forgetToken = (): void => history.replaceState(null, '', location.pathname + location.search);

const SendAgain = () => {
  const [sent, setSent] = useState(false);
  const send = useAction(async () => {
    setSent(false);
    await call('post', '/v1/account/address-proof/mail');
    setSent(true);
  });
  return (
    <>
      <div class="actions">
        <button type="button" disabled={send.running} onClick={() => void send.run()}>
          Send the link again
        </button>
      </div>
      <div role="status">{sent ? <p>The mail is sent.</p> : null}</div>
      <Problem error={send.error} />
    </>
  );
};

const Due = ({ email }: { readonly email: string }) => (
  <section class="notice stack" aria-label="Your address is not proven">
    <p>
      Your address is not proven yet. Until then you can't make keys and invites, top up, add an authenticator
      app or a passkey, or close the account. Open the link in the mail to <span class="breaks">{email}</span>
      .
    </p>
    <SendAgain />
  </section>
);

/** Asks for the proof of the address on pages whose actions need it. */
export const ProofDue = () => {
  const account = useAccount().data;
  return account?.proofDue === true ? <Due email={account.email} /> : null;
};

/** Why a link proved nothing, for people. */
const reasonOf = (error: Error, email: string): Error =>
  error instanceof ApiError && error.code === 'PROOF_EXPIRED'
    ? new Error(
        `The link is too old, incomplete, or for another account. You are signed in as ${email}. Open the newest link, signed in with the address that got it.`,
      )
    : error;

/** Asks for the proof of the address, or gives the proof if a mailed link opened the page. */
export const AddressProof = ({
  email,
  proofDue,
  onProven,
}: {
  readonly email: string;
  readonly proofDue: boolean;
  readonly onProven: () => void;
}) => {
  const [isProven, setProven] = useState(false);
  const prove = useAction(async () => {
    const token = tokenInAddress();
    if (token === undefined) return;
    setProven(false);
    try {
      await call('post', '/v1/account/address-proof', { body: { token } });
    } catch (error) {
      // The sign-in page, which follows a 401, keeps the token.
      if (!(error instanceof ApiError && error.status === 401)) forgetToken();
      throw error;
    }
    forgetToken();
    setProven(true);
    onProven();
  });
  useEffect(() => {
    const run = (): void => void prove.run();
    run();
    // A link that is opened in the tab of this page only changes the part behind `#`.
    addEventListener('hashchange', run);
    return () => removeEventListener('hashchange', run);
  }, []);
  return (
    <>
      <div role="status">{isProven ? <p class="notice good">Your address is proven.</p> : null}</div>
      <Problem error={prove.error && reasonOf(prove.error, email)} />
      {proofDue && !isProven ? <Due email={email} /> : null}
    </>
  );
};
