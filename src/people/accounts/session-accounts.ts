import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { NotFound } from '#kernel/app-error';
import { SigningKeys } from '#platform/config/signing-keys';
import type { Person } from './account.entity';
import { accountLinks } from './account-links';
import {
  AccountBanned,
  EmailNotProven,
  NoSuchOrganisation,
  NotSignedIn,
  OrganisationClosed,
  RoleRequired,
} from './accounts.errors';
import { type Acting, rememberActing } from './acting-person';
import { refuseForeignOrigin } from './own-origin';
import { MAKERS, type Role } from './roles';
import { isSecretToken, newSecretToken } from './secret-token';
import { needsProof, rolesFor } from './routes/session-rule';
import { giveSessionCookie, sessionTokenIn, takeSessionCookie } from './session-cookie';
import { type ListedSession, type Login, SessionRepository } from './session.repository';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';
import type { MailSettings } from '#platform/mail/mail.settings';

/** The header that names the organisation, if it is not the person's own. */
const ORGANISATION_HEADER = 'x-organisation';

/** Finds the signed-in person of a request. */
@Injectable()
export class SessionAccounts {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly keys: SigningKeys,
    @Inject(SETTINGS) private readonly settings: HttpSettings & MailSettings,
  ) {}

  /** True when the request carries a session cookie, whether or not it is valid. */
  claims(request: FastifyRequest): boolean {
    return sessionTokenIn(request) !== undefined;
  }

  /**
   * The person of the request's session; undefined without one. Throws if the account is closed, or if a call that
   * changes something does not come from our own pages.
   */
  async personOf(request: FastifyRequest): Promise<Person | undefined> {
    refuseForeignOrigin(request, this.settings.http.publicUrl);
    const person = await this.sessions.personOf(this.hashesIn(request));
    if (person?.bannedAt !== undefined) throw new AccountBanned(this.links);
    return person;
  }

  /**
   * The signed-in person and the organisation that the call names, in its address, in a header, or in the form
   * `chosen`. Throws if the person is no member, or if the role may not call this route.
   */
  async requireActing(request: FastifyRequest, chosen?: string): Promise<Acting> {
    refuseForeignOrigin(request, this.settings.http.publicUrl);
    const roles = rolesFor(request);
    const { organisation, param } = roles === undefined ? NO_ORGANISATION : organisationIn(request, chosen);
    const acting = this.required(
      await this.sessions.actingOf(this.hashesIn(request), organisation),
      param,
      roles,
    );
    if (acting.person.proofDue && this.settings.mail !== undefined && needsProof(request))
      throw new EmailNotProven();
    rememberActing(request, acting);
    return acting;
  }

  /** For a session that was valid before: the error that `requireActing` would throw now. */
  async endingOf(name: string): Promise<Error> {
    const [hash = '', organisation] = name.split('/');
    const found = await this.sessions.actingOf([Buffer.from(hash, 'hex')], organisation);
    try {
      this.required(found, 'X-Organisation', MAKERS);
    } catch (error) {
      return error as Error;
    }
    return new NotSignedIn(this.links);
  }

  private required(
    found: Pick<Acting, 'person'> | Acting | undefined,
    param: string,
    roles: readonly Role[] | undefined,
  ): Acting {
    if (found === undefined) throw new NotSignedIn(this.links);
    if (found.person.bannedAt !== undefined) throw new AccountBanned(this.links);
    if (!('role' in found)) throw new NoSuchOrganisation(param);
    if (found.organisation.isClosed) throw new OrganisationClosed(this.links);
    if (roles?.includes(found.role) === false) throw new RoleRequired(roles, found.role);
    return found;
  }

  /**
   * Of these sessions (`Acting.session`), finds those that are still valid. Such a session is not expired, and its
   * person has an open account and is still a member.
   */
  openAmong(names: readonly string[]): Promise<ReadonlySet<string>> {
    return this.sessions.openAmong(names);
  }

  /** Opens a session under a new token and ends the request's earlier one. */
  async open(request: FastifyRequest, reply: FastifyReply, login: Login): Promise<boolean> {
    const token = newSecretToken();
    const opened = await this.sessions.open(
      { tokenHash: this.hashOf(token), device: deviceOf(request) },
      login,
      this.hashesIn(request),
    );
    if (opened) giveSessionCookie(reply, token, this.settings.http.publicUrl);
    return opened;
  }

  /** Changes the password and ends every session. The caller gets a new session with a new token. */
  async changePassword(
    request: FastifyRequest,
    reply: FastifyReply,
    accountId: string,
    passwords: { readonly from: string; readonly to: string },
  ): Promise<boolean> {
    const token = newSecretToken();
    const changed = await this.sessions.changePassword(accountId, passwords, {
      tokenHash: this.hashOf(token),
      device: deviceOf(request),
    });
    if (changed) giveSessionCookie(reply, token, this.settings.http.publicUrl);
    return changed;
  }

  /** The open sessions of a person. The session of the request is marked. */
  listOf(person: Person, request: FastifyRequest): Promise<ListedSession[]> {
    return this.sessions.listOf(person.id, this.hashesIn(request));
  }

  async endOne(person: Person, id: string): Promise<void> {
    if (!(await this.sessions.endOne(person.id, id)))
      throw new NotFound('You have no open session with this id.');
  }

  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.sessions.end(this.hashesIn(request));
    takeSessionCookie(reply, this.settings.http.publicUrl);
  }

  private get links() {
    return accountLinks(this.settings.http.publicUrl);
  }

  /**
   * The hashes are keyed with the server's secret, so nobody can open a session with a stolen table. During a change of
   * the secret, there is one hash for each secret.
   */
  hashesOf(request: FastifyRequest): readonly Buffer[] {
    return this.hashesIn(request);
  }

  private hashesIn(request: FastifyRequest): readonly Buffer[] {
    const token = sessionTokenIn(request);
    return token === undefined || !isSecretToken(token) ? [] : this.keys.signatures('sessions', token);
  }

  private hashOf(token: string): Buffer {
    return this.keys.sign('sessions', token);
  }
}

/** The browser's own name, from `User-Agent`. */
const deviceOf = ({ headers }: FastifyRequest): string | undefined =>
  headers['user-agent']?.slice(0, 200).toWellFormed();

const NO_ORGANISATION = { organisation: undefined, param: 'X-Organisation' } as const;

const organisationIn = (
  { headers, params }: FastifyRequest,
  chosen: string | undefined,
): { readonly organisation?: string; readonly param: string } => {
  if (chosen !== undefined) return { organisation: chosen, param: 'organisation' };
  const { org } = (params ?? {}) as { readonly org?: string };
  const header = headers[ORGANISATION_HEADER];
  return org === undefined
    ? { organisation: header === undefined ? undefined : String(header), param: 'X-Organisation' }
    : { organisation: org, param: 'org' };
};
