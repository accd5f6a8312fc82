import { Injectable } from '@nestjs/common';

import { AppError, InvalidRequest } from '#kernel/app-error';
import { callerAt } from '#platform/http/limits/caller-address';
import { RateLimits } from '#platform/http/limits/rate-limits';
import { SsrfGuard } from '#platform/http/outgoing/ssrf-guard';
import { isPlainText } from '#platform/http/routes/json-schema';

const BYTES_MAX = 16 * 1024;
const TIMEOUT_MS = 5_000;
/** Fetches a minute for a caller's address. Each may go to another site, and a document is kept for a while. */
const FETCHES_MAX = 20;

/** The fields of an app that this service uses. All else, such as keys and secrets, is left out. */
const KNOWN = ['client_id', 'client_name', 'redirect_uris', 'grant_types'] as const;
const GRANTS = ['authorization_code', 'refresh_token'];

/**
 * The metadata of an app as this service accepts it. Every app is public: it proves itself by PKCE and by the address
 * that its sign-in returns to. An app that runs on its user's machine may return to any port there.
 */
export const asPublicApp = (given: unknown): Record<string, unknown> => {
  const fields = (given ?? {}) as Readonly<Record<string, unknown>>;
  const kept = KNOWN.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const]));
  const { client_name: name, redirect_uris: addresses, grant_types: grants } = fields;
  if ([name, addresses].flat().some((text) => typeof text === 'string' && !isPlainText(text)))
    throw new InvalidRequest('The name and the addresses of an app must be plain text.');
  return {
    ...Object.fromEntries(kept),
    ...(Array.isArray(grants)
      ? { grant_types: grants.filter((grant) => GRANTS.includes(grant as string)) }
      : {}),
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  };
};

/** Fetches the documents whose addresses apps use as their id. A caller names the address, so the guard checks it. */
@Injectable()
export class ClientDocuments {
  constructor(
    private readonly guard: SsrfGuard,
    private readonly limits: RateLimits,
  ) {}

  /** Counts a fetch for a caller, who could otherwise send our calls to any site. */
  async mayFetch(ip: string): Promise<boolean> {
    try {
      await this.limits.countTo(FETCHES_MAX, `oauth document|${callerAt(ip)}`);
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  async fetch(address: string): Promise<Response> {
    const answer = await this.guard.ask(this.guard.targetOf(address), {
      method: 'GET',
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'Lamppost/1 (OAuth)',
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headersMsMax: TIMEOUT_MS,
    });
    const { status, body, headers } = answer;
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length;
      if (bytes > BYTES_MAX) throw new Error(`The document has more than ${BYTES_MAX} bytes.`);
      chunks.push(chunk as Buffer);
    }
    if (status !== 200)
      return new Response(undefined, { status: status < 200 || status > 599 ? 502 : status });
    const app = asPublicApp(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    const { 'cache-control': caching } = headers;
    return Response.json(app, { headers: caching === undefined ? {} : { 'cache-control': caching } });
  }
}
