import { Inject, Injectable } from '@nestjs/common';

import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

/** The addresses of the authorization server and of what it protects. */
@Injectable()
export class OauthAddresses {
  readonly issuer: string;
  /** The only audience of access tokens. */
  readonly resource: string;
  readonly resourceMetadata: string;

  constructor(@Inject(SETTINGS) { http }: HttpSettings) {
    this.issuer = http.publicUrl;
    this.resource = `${http.publicUrl}/mcp`;
    this.resourceMetadata = `${http.publicUrl}/.well-known/oauth-protected-resource/mcp`;
  }

  of(path: 'authorize' | 'token' | 'register' | 'revoke' | `consent/${string}`): string {
    return `${this.issuer}/oauth/${path}`;
  }
}
