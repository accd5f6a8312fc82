/** A public key of the service, as `/.well-known/jwks.json` shows it. */
export interface PublicKey {
  readonly kid: string;
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
}

interface Signed {
  readonly jws?: string;
}

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));

const base64url = (text: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** A detached JWS over the rest of the receipt: its keys sorted, no spaces. */
export const isGenuine = async (receipt: Signed, keys: readonly PublicKey[]): Promise<boolean> => {
  const { jws = '', ...rest } = receipt;
  const [head = '', , signature = ''] = jws.split('.');
  if (head === '') return false;
  const { kid } = JSON.parse(new TextDecoder().decode(bytesOf(head))) as { kid: string };
  const jwk = keys.find((one) => one.kid === kid);
  if (jwk === undefined) return false;
  const sorted = Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
  const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify']);
  const signed = new TextEncoder().encode(`${head}.${base64url(JSON.stringify(sorted))}`);
  return crypto.subtle.verify('Ed25519', key, bytesOf(signature), signed);
};
