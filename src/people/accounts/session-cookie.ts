import cookies from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { SESSION_SECONDS } from './session-limits';

const SESSION_COOKIE = 'lamppost_session';

/**
 * No script can read the cookie, and no other site can send it with a POST. With https, browsers send it only
 * encrypted.
 */
const attributes = (publicUrl: string) => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax' as const,
  secure: publicUrl.startsWith('https:'),
});

/** The unverified value of the cookie. Only code that needs it parses it, because few calls have one. */
export const sessionTokenIn = (request: FastifyRequest): string | undefined => {
  const header = request.headers.cookie;
  return header?.includes(SESSION_COOKIE) ? cookies.parse(header)[SESSION_COOKIE] : undefined;
};

export const giveSessionCookie = (reply: FastifyReply, token: string, publicUrl: string): void => {
  void reply.header(
    'set-cookie',
    cookies.serialize(SESSION_COOKIE, token, { ...attributes(publicUrl), maxAge: SESSION_SECONDS }),
  );
};

export const takeSessionCookie = (reply: FastifyReply, publicUrl: string): void => {
  void reply.header(
    'set-cookie',
    cookies.serialize(SESSION_COOKIE, '', { ...attributes(publicUrl), maxAge: 0 }),
  );
};
