import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { actAsKey } from '#people/keys/granted-key';
import { OauthAddresses } from './oauth-addresses';
import { OauthRowRepository } from './oauth-row.repository';

/** The form of the library's tokens. A key of ours has an underscore behind its first letters, and is longer. */
const TOKEN = /^bearer +([A-Za-z0-9_-]{20,60})$/i;

/** Access tokens of apps. Each stands for a key, whose secret nobody has. */
@Injectable()
export class AccessTokens {
  constructor(
    private readonly rows: OauthRowRepository,
    private readonly addresses: OauthAddresses,
  ) {}

  /** Makes a request with a valid access token act as the key of its grant. Only `/mcp` may call this. */
  async apply(request: FastifyRequest): Promise<void> {
    const token = TOKEN.exec(request.headers.authorization ?? '')?.[1];
    const hash = token && (await this.rows.keyHashOf(token, this.addresses.resource));
    if (hash) actAsKey(request, hash);
  }
}
