import cookies from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

const SESSION_COOKIE = 'lamppost_session';
export const SESSION_SECONDS = 30 * 24 * 60 * 60;

/** No script reads it, no other site sends it along with a post, and over https it never travels in the clear. */
const attributes = (publicUrl: string) => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax' as const,
  secure: publicUrl.startsWith('https:'),
});

/** What the caller sent under the cookie's name, whatever it is worth. Read only where it matters: few calls have one. */
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
