import { SignJWT, importPKCS8 } from 'jose';

import { fieldsOf, textOf } from '../http/json-fields';
import { ProviderFault } from '../http/provider-fault';
import { ProviderHttp } from '../http/provider-http';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** The service renews a token this long before its end, because a call may wait before it is sent. */
const EARLY_MS = 120_000;
const ASK_MS_MAX = 10_000;

/** The used fields of a service account's key file. */
export interface ServiceAccount {
  readonly email: string;
  readonly privateKey: string;
  readonly keyId: string | undefined;
  readonly tokenUrl: string;
}

/** Undefined if `value` is no key file of a service account. */
export const serviceAccountIn = (value: unknown): ServiceAccount | undefined => {
  const fields = fieldsOf(value);
  const [email, privateKey] = [textOf(fields['client_email']), textOf(fields['private_key'])];
  const tokenUrl = textOf(fields['token_uri']) ?? 'https://oauth2.googleapis.com/token';
  if (email === undefined || privateKey?.includes('PRIVATE KEY') !== true || !URL.canParse(tokenUrl))
    return undefined;
  return { email, privateKey, keyId: textOf(fields['private_key_id']), tokenUrl };
};

interface Held {
  readonly key: string;
  readonly token: string;
  readonly until: number;
}

/**
 * The access token of a service account. Concurrent calls wait for one request, and a failed request is not cached.
 * Each use reads the account, because the key may change while the service runs.
 */
export class AccessToken {
  private held?: Held;
  private pending?: Promise<string>;

  constructor(
    private readonly name: string,
    private readonly account: () => ServiceAccount | undefined,
  ) {}

  async get(): Promise<string> {
    const account = this.account();
    if (account === undefined) throw new ProviderFault('not-accepted', 'it has no key');
    const { held } = this;
    if (held?.key === account.privateKey && held.until > Date.now()) return held.token;
    this.pending ??= this.ask(account).finally(() => {
      delete this.pending;
    });
    return this.pending;
  }

  /** The signal of a call does not end this request, because other calls also wait for it. */
  private async ask(account: ServiceAccount): Promise<string> {
    const { email, privateKey, keyId, tokenUrl } = account;
    const key = await importPKCS8(privateKey, 'RS256');
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) })
      .setIssuer(email)
      .setAudience(tokenUrl)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(key);
    const { origin, pathname } = new URL(tokenUrl);
    const http = new ProviderHttp({ name: this.name, baseUrl: origin, headers: () => ({}) });
    try {
      const answer = await http.json({
        method: 'POST',
        path: pathname,
        urlencoded: new URLSearchParams({ grant_type: GRANT, assertion }),
        signal: AbortSignal.timeout(ASK_MS_MAX),
      });
      const { access_token: token, expires_in: seconds } = fieldsOf(answer);
      if (typeof token !== 'string' || typeof seconds !== 'number')
        throw new ProviderFault('not-accepted', 'its token cannot be read');
      this.held = { key: privateKey, token, until: Date.now() + seconds * 1_000 - EARLY_MS };
      return token;
    } finally {
      await http.close();
    }
  }
}
