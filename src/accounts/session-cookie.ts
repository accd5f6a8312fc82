import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

export const SESSION_COOKIE = 'lamppost_session';
export const SESSION_SECONDS = 30 * 24 * 60 * 60;

/** No script reads it, no other site sends it along with a post, and over https it never travels in the clear. */
const attributes = (publicUrl: string): CookieSerializeOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax',
  secure: publicUrl.startsWith('https:'),
});

/** What the caller sent under the cookie's name, whatever it is worth. */
export const sessionTokenIn = (request: FastifyRequest): string | undefined =>
  request.cookies?.[SESSION_COOKIE];

export const giveSessionCookie = (reply: FastifyReply, token: string, publicUrl: string): void => {
  void reply.setCookie(SESSION_COOKIE, token, { ...attributes(publicUrl), maxAge: SESSION_SECONDS });
};

export const takeSessionCookie = (reply: FastifyReply, publicUrl: string): void => {
  void reply.clearCookie(SESSION_COOKIE, attributes(publicUrl));
};
