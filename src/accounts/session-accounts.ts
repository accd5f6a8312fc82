import { randomBytes } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { SETTINGS, type Settings } from '../platform/config/settings';
import { SigningKeys } from '../platform/config/signing-keys';
import type { Account } from './account.entity';
import { accountLinks } from './account-links';
import { AccountBanned, NotSignedIn } from './accounts.errors';
import { refuseForeignOrigin } from './own-origin';
import { giveSessionCookie, sessionTokenIn, takeSessionCookie } from './session-cookie';
import { SessionRepository } from './session.repository';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Who is signed in on a request. */
@Injectable()
export class SessionAccounts {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly keys: SigningKeys,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** True when the request carries a session cookie, whether or not it is valid. */
  claims(request: FastifyRequest): boolean {
    return sessionTokenIn(request) !== undefined;
  }

  /**
   * The account whose session the request carries; undefined when nobody is signed in. Throws when the account is
   * closed, and when a call that changes something does not come from our own pages.
   */
  async accountOf(request: FastifyRequest): Promise<Account | undefined> {
    refuseForeignOrigin(request, this.settings.http.publicUrl);
    const account = await this.sessions.accountOf(this.hashesIn(request));
    if (account?.bannedAt !== undefined) {
      throw new AccountBanned(this.links);
    }
    return account;
  }

  /** The same, for those who can't go on without one. */
  async requireAccount(request: FastifyRequest): Promise<Account> {
    const account = await this.accountOf(request);
    if (account === undefined) {
      throw new NotSignedIn(this.links);
    }
    return account;
  }

  /** What to ask about the request's session by, once the request is over. */
  nameIn(request: FastifyRequest): string | undefined {
    const hashes = this.hashesIn(request);
    return hashes.length === 0 ? undefined : hashes.map((hash) => hash.toString('hex')).join(' ');
  }

  /** Of sessions by their names, those that are neither over nor of a closed account. */
  async openAmong(names: readonly string[]): Promise<ReadonlySet<string>> {
    const open = await this.sessions.openAmong(names.flatMap((name) => name.split(' ')));
    return new Set(names.filter((name) => name.split(' ').some((hash) => open.has(hash))));
  }

  /** Opens a session under a new token and ends the one that the request came with. */
  async open(
    request: FastifyRequest,
    reply: FastifyReply,
    login: { readonly accountId: string; readonly passwordHash: string },
  ): Promise<boolean> {
    const token = newToken();
    const opened = await this.sessions.open(
      this.hashOf(token),
      login.accountId,
      login.passwordHash,
      this.hashesIn(request),
    );
    if (opened) giveSessionCookie(reply, token, this.settings.http.publicUrl);
    return opened;
  }

  /** Changes the password, which ends every session; the one who did it goes on under a new token. */
  async changePassword(
    reply: FastifyReply,
    accountId: string,
    passwords: { readonly from: string; readonly to: string },
  ): Promise<boolean> {
    const token = newToken();
    const changed = await this.sessions.changePassword(accountId, passwords, this.hashOf(token));
    if (changed) giveSessionCookie(reply, token, this.settings.http.publicUrl);
    return changed;
  }

  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.sessions.end(this.hashesIn(request));
    takeSessionCookie(reply, this.settings.http.publicUrl);
  }

  private get links() {
    return accountLinks(this.settings.http.publicUrl);
  }

  /** Keyed with the server's secret, so that a stolen table opens none; while that changes, by either. */
  private hashesIn(request: FastifyRequest): readonly Buffer[] {
    const token = sessionTokenIn(request);
    return token === undefined || !TOKEN.test(token) ? [] : this.keys.signatures('sessions', token);
  }

  private hashOf(token: string): Buffer {
    return this.keys.sign('sessions', token);
  }
}

const newToken = (): string => randomBytes(32).toString('base64url');
