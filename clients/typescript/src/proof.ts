/** A public key of the service, as in `/.well-known/jwks.json`. */
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

/** Input from outside may be malformed in any way. The proof then counts as invalid, and nothing is thrown. */
const holds = async (check: () => Promise<boolean>): Promise<boolean> => {
  try {
    return await check();
  } catch {
    return false;
  }
};

/** A detached JWS over the rest of the receipt: keys sorted, no spaces. */
export const isGenuine = (receipt: Signed, keys: readonly PublicKey[]): Promise<boolean> =>
  holds(() => isSignedBy(keys, receipt));

const isSignedBy = async (keys: readonly PublicKey[], receipt: Signed): Promise<boolean> => {
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

/** A received message of a webhook: its headers, and its body as unparsed text. */
export interface WebhookMessage {
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** The recipient of a message: your account id or wallet, and the endpoint, if it is for one. */
export interface WebhookRecipient {
  readonly owner: string;
  readonly endpoint?: string;
}

/**
 * The secret or key that verifies a message: the endpoint's own secret (`whsec_…`), or the public key of the service
 * (`whpk_…`). The public key verifies messages for all receivers, so it needs the `recipient` as well.
 */
export type WebhookProof =
  | { readonly secret: string; readonly recipient?: WebhookRecipient | undefined }
  | { readonly publicKey: string; readonly recipient: WebhookRecipient };

const CLOCKS_DIFFER_SECONDS = 300;
/**
 * The most signatures to check. The service sends one for each valid secret and key, but a forger could send thousands
 * to keep a receiver busy.
 */
const SIGNATURES_MAX = 10;

/** Throws if there is no secret or key. This is a mistake in the program, and must not look like a bad message. */
const checkProof = (proof: WebhookProof): void => {
  const { secret, publicKey, recipient } = { secret: undefined, publicKey: undefined, ...proof };
  const named = secret ?? publicKey;
  if (typeof named !== 'string' || named === '') {
    throw new TypeError(
      'A webhook is proven by the secret of its endpoint (whsec_…), which webhooks.create has shown, or by the publicKey ' +
        'of the service (whpk_…). Neither is given: is a variable of the environment not set?',
    );
  }
  if (secret === undefined && (typeof recipient?.owner !== 'string' || recipient.owner === '')) {
    throw new TypeError(
      'The publicKey of the service signs messages for all receivers. Name the recipient: { owner, endpoint }, your account ' +
        'id or wallet, and the endpoint where the message is for one.',
    );
  }
};

const keyOf = async (text: string, algorithm: { readonly name: string; readonly hash?: string }) => {
  try {
    return await crypto.subtle.importKey('raw', bytesOf(text), algorithm, false, ['verify']);
  } catch (cause) {
    throw new TypeError(
      'The secret (whsec_…) or publicKey (whpk_…) of a webhook is malformed: give it as the service has shown it.',
      { cause },
    );
  }
};

const proverOf = async (
  proof: WebhookProof,
): Promise<(signed: Uint8Array<ArrayBuffer>, signature: string) => Promise<boolean>> => {
  const [kind, text, algorithm] =
    'secret' in proof
      ? (['v1', proof.secret.replace(/^whsec_/, ''), { name: 'HMAC', hash: 'SHA-256' }] as const)
      : (['v1a', proof.publicKey.replace(/^whpk_/, ''), { name: 'Ed25519' }] as const);
  const key = await keyOf(text, algorithm);
  return async (signed, signature) => {
    const [version, bytes = ''] = signature.split(',');
    return version === kind && holds(() => crypto.subtle.verify(algorithm.name, key, bytesOf(bytes), signed));
  };
};

/** Whether a message names this recipient. The spelling of a wallet does not matter. */
const isFor = (body: string, { owner, endpoint }: WebhookRecipient): boolean => {
  try {
    const said = (JSON.parse(body) as { recipient?: Partial<WebhookRecipient> } | null)?.recipient;
    return said?.owner?.toLowerCase() === owner.toLowerCase() && said.endpoint === endpoint;
  } catch {
    return false;
  }
};

/**
 * Whether the service has sent this message, and sent it lately. `webhook-id` is the id of the event, which is the same
 * at each try.
 *
 * @example
 * const message = { headers: request.headers, body: await request.text() };
 * if (!(await isGenuineWebhook(message, { secret }))) throw new Error('Somebody else has sent this.');
 */
export const isGenuineWebhook = async (
  { headers, body }: WebhookMessage,
  proof: WebhookProof,
): Promise<boolean> => {
  checkProof(proof);
  const said = (name: string): string =>
    String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '');
  const [id, time] = [said('webhook-id'), said('webhook-timestamp')];
  if (id === '' || !(Math.abs(Date.now() / 1_000 - Number(time)) <= CLOCKS_DIFFER_SECONDS)) return false;
  if (proof.recipient !== undefined && !isFor(body, proof.recipient)) return false;
  const signed = new Uint8Array(new TextEncoder().encode(`${id}.${time}.${body}`));
  const proves = await proverOf(proof);
  const proofs = said('webhook-signature')
    .split(' ', SIGNATURES_MAX)
    .map((signature) => proves(signed, signature));
  return (await Promise.all(proofs)).includes(true);
};
