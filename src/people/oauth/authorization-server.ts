import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import inject, { type Response } from 'light-my-request';
import type Provider from 'oidc-provider' with { 'resolution-mode': 'import' };
import type { Client } from 'oidc-provider' with { 'resolution-mode': 'import' };

import { withoutAbsent } from '#kernel/present';
import { SigningKeys } from '#platform/config/signing-keys';
import { AppKeys } from './app-keys';
import { ClientDocuments } from './client-documents';
import { messagePage } from './oauth-page';
import { OauthAddresses } from './oauth-addresses';
import { makeProvider } from './oauth-provider';
import { OauthRowRepository } from './oauth-row.repository';

/** A call for the library: the address without our host, and what it may see of the request. */
export interface LibraryCall {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** The caller's address. */
  readonly ip: string;
  readonly cookie?: string;
  readonly accept?: string;
  readonly type?: string;
  readonly body?: string;
}

/** Our own hooks write these. */
const NOT_COPIED = /^(access-control-|content-length|connection|date|transfer-encoding|vary)/;

/**
 * Runs the library of OAuth. It answers a request of its own, so that our hooks still read bodies, apply limits and
 * write headers and logs. The library is loaded at the first use.
 */
@Injectable()
export class AuthorizationServer {
  private readonly logger = new Logger(AuthorizationServer.name);
  private made?: { readonly provider: Provider; readonly answer: ReturnType<Provider['callback']> };

  constructor(
    private readonly addresses: OauthAddresses,
    private readonly rows: OauthRowRepository,
    private readonly keys: AppKeys,
    private readonly documents: ClientDocuments,
    private readonly signing: SigningKeys,
  ) {}

  get provider(): Provider {
    return this.library.provider;
  }

  private get library(): NonNullable<AuthorizationServer['made']> {
    this.made ??= this.make();
    return this.made;
  }

  private make(): NonNullable<AuthorizationServer['made']> {
    const provider = makeProvider({
      addresses: this.addresses,
      rows: this.rows,
      keys: this.keys,
      documents: this.documents,
      cookieKeys: this.signing.keys('oauth cookies').map((key) => key.toString('base64')),
      errorPage: messagePage,
    });
    provider.on('server_error', (_context, error) => {
      this.logger.error({ err: error }, 'A step of OAuth failed with an unexpected error.');
    });
    return { provider, answer: provider.callback() };
  }

  /** The library's answer to a call, as our own. */
  async answer(call: LibraryCall, reply: FastifyReply): Promise<string> {
    const own = new URL(this.addresses.issuer);
    const answer: Response = await inject(this.library.answer as Parameters<typeof inject>[0], {
      method: call.method,
      url: call.url,
      remoteAddress: call.ip,
      payload: call.body,
      headers: withoutAbsent({
        accept: call.accept,
        cookie: call.cookie,
        'content-type': call.type,
        host: own.host,
        // Its addresses and the attributes of its cookies follow PUBLIC_URL.
        'x-forwarded-host': own.host,
        'x-forwarded-proto': own.protocol.slice(0, -1),
      }),
    });
    void reply.status(answer.statusCode);
    for (const [name, value] of Object.entries(answer.headers)) {
      if (!NOT_COPIED.test(name) && value !== undefined) void reply.header(name, value);
    }
    return answer.payload;
  }

  /** A registered app; undefined if it has ended, or if its document can't be fetched now. */
  async appOf(clientId: string): Promise<Client | undefined> {
    try {
      return await this.provider.Client.find(clientId);
    } catch (error) {
      if (!clientId.startsWith('https://')) throw error;
      this.logger.debug({ err: error }, 'The document of an app could not be fetched.');
      return undefined;
    }
  }

  /** The sign-in that a page asks about; undefined if it has ended, or began in another browser. */
  async signIn(request: FastifyRequest, reply: FastifyReply) {
    try {
      return await this.provider.interactionDetails(request.raw, reply.raw);
    } catch (error) {
      if ((error as Error).name === 'SessionNotFound') return undefined;
      throw error;
    }
  }
}
