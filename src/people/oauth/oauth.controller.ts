import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Throttle } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { HttpRoute } from '#platform/http/routes/route';
import { AuthorizationServer } from './authorization-server';
import { asPublicApp } from './client-documents';
import { SESSION_COOKIE } from './oauth-provider';
import { scopeOf } from './scopes';

const HOUR_MS = 3_600_000;
const REGISTRATIONS_MAX = 20;

const FORM = 'application/x-www-form-urlencoded';

/**
 * Stock clients also send the parameters of OpenID Connect and of other servers. The library refuses some of these, so
 * it gets only the parameters of OAuth.
 */
const PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
];

const queryOf = ({ url }: FastifyRequest): URLSearchParams => new URL(url, 'http://oauth').searchParams;

/** The parameters of a sign-in. A client that names no scope gets the default, because the library grants nothing then. */
const parametersOf = (given: URLSearchParams): string => {
  const known = [...given].filter(([name]) => PARAMETERS.includes(name));
  return new URLSearchParams([...known, ['scope', scopeOf(given.get('scope'))]]).toString();
};

/**
 * Each sign-in begins and ends without an earlier one, so it knows no other account. The library would ask a person who
 * connects a second app to log out of the first one.
 */
const withoutSession = (cookie: string | undefined): string | undefined =>
  cookie
    ?.split(';')
    .filter((one) => !one.trim().startsWith(SESSION_COOKIE))
    .join(';');

/** The endpoints of OAuth for apps. */
@ApiExcludeController()
@Controller('oauth')
export class OauthController {
  constructor(private readonly server: AuthorizationServer) {}

  @Get('authorize')
  @HttpRoute({ limit: 'challenge', limitedAs: 'oauth|' })
  authorize(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const url = `/oauth/authorize?${parametersOf(queryOf(request))}`;
    const { ip, headers } = request;
    const { accept, cookie } = headers;
    return this.server.answer({ method: 'GET', url, ip, accept, cookie: withoutSession(cookie) }, reply);
  }

  /** The browser comes back here after the page of consent. */
  @Get('authorize/:uid')
  @HttpRoute({ limit: 'challenge', limitedAs: 'oauth|' })
  resume(
    @Param('uid') uid: string,
    @Req() { ip, headers: { accept, cookie } }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const url = `/oauth/authorize/${encodeURIComponent(uid)}`;
    return this.server.answer({ method: 'GET', url, ip, accept, cookie: withoutSession(cookie) }, reply);
  }

  @Post('token')
  @HttpRoute({ limit: 'free', limitedAs: 'oauth|', form: 'urlencoded' })
  token(
    @Body() body: unknown,
    @Req() { ip }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const form = new URLSearchParams(typeof body === 'string' ? body : '');
    // The key of a grant has all its scopes, so no token has fewer.
    form.delete('scope');
    return this.server.answer(
      { method: 'POST', url: '/oauth/token', ip, type: FORM, body: form.toString() },
      reply,
    );
  }

  @Post('revoke')
  @HttpRoute({ limit: 'free', limitedAs: 'oauth|', form: 'urlencoded' })
  revoke(
    @Body() body: unknown,
    @Req() { ip }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const form = typeof body === 'string' ? body : '';
    return this.server.answer({ method: 'POST', url: '/oauth/revoke', ip, type: FORM, body: form }, reply);
  }

  @Post('register')
  @Throttle({ address: { limit: REGISTRATIONS_MAX, ttl: HOUR_MS } })
  register(
    @Body() body: unknown,
    @Req() { ip }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { client_id: _, ...app } = asPublicApp(body);
    return this.server.answer(
      { method: 'POST', url: '/oauth/register', ip, type: 'application/json', body: JSON.stringify(app) },
      reply,
    );
  }
}
