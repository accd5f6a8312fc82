import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';

import { HttpRoute } from '#platform/http/routes/route';
import { OauthAddresses } from './oauth-addresses';
import { OFFERED_SCOPES } from './scopes';

/** The documents by which a client finds out how to sign in (RFC 9728, RFC 8414). */
@ApiExcludeController()
@Controller('.well-known')
export class MetadataController {
  constructor(private readonly addresses: OauthAddresses) {}

  @Get(['oauth-protected-resource', 'oauth-protected-resource/mcp'])
  @HttpRoute({ limit: 'free' })
  @Header('cache-control', 'public, max-age=300')
  resource(): object {
    const { issuer, resource } = this.addresses;
    return {
      resource,
      resource_name: 'Lamppost',
      authorization_servers: [issuer],
      scopes_supported: OFFERED_SCOPES,
      bearer_methods_supported: ['header'],
      resource_documentation: `${issuer}/guides`,
    };
  }

  @Get('oauth-authorization-server')
  @HttpRoute({ limit: 'free' })
  @Header('cache-control', 'public, max-age=300')
  server(): object {
    const { addresses } = this;
    return {
      issuer: addresses.issuer,
      authorization_endpoint: addresses.of('authorize'),
      token_endpoint: addresses.of('token'),
      registration_endpoint: addresses.of('register'),
      revocation_endpoint: addresses.of('revoke'),
      // Gemini CLI asks for everything in this list.
      scopes_supported: OFFERED_SCOPES,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    };
  }
}
