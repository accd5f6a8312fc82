import { call } from '../parts/api.ts';

/**
 * Whether this page can use passkeys. Browsers make them only for host names, and older browsers can't read the
 * options.
 */
export const canUsePasskeys = (): boolean =>
  'PublicKeyCredential' in window &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  !/^(\d+\.){3}\d+$|^\[/.test(location.hostname);

const STOPPED = 'The browser made no passkey, or you stopped it. Try it again.';

/**
 * The answer of a device as JSON. Browsers report every failure with the same error on purpose, so there is only one
 * message.
 */
const answerOf = async (request: Promise<Credential | null>): Promise<object> => {
  const credential = await request.catch(() => null);
  if (credential === null) throw new Error(STOPPED);
  return (credential as PublicKeyCredential).toJSON() as object;
};

export const signInByPasskey = async (): Promise<void> => {
  const { options } = await call('post', '/v1/account/sign-in/passkey/options');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const response = await answerOf(navigator.credentials.get({ publicKey }));
  await call('post', '/v1/account/sign-in/passkey', { body: { response: response as never } });
};

export const addPasskey = async (name: string, proof: { password: string; code?: string }): Promise<void> => {
  const { options } = await call('post', '/v1/account/passkeys/options', { body: proof });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const response = await answerOf(navigator.credentials.create({ publicKey }));
  await call('post', '/v1/account/passkeys', { body: { name, response: response as never } });
};
