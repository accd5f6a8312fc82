import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { LINK_MAILS_MAX, LINK_MAILS_MS } from '#people/accounts/mailed-link-limits';
import { InvalidRequest } from '#kernel/app-error';
import { callerOf } from '#platform/http/limits/caller-address';
import { RateLimits } from '#platform/http/limits/rate-limits';
import { Mailer } from '#platform/mail/mailer';
import type { Invite } from './invite.entity';
import { InviteNotMailed } from './organisations.errors';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

/** Mails the link of an invite only to its address. A person who uses the link has proven to read that mailbox. */
@Injectable()
export class InviteMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly limits: RateLimits,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  get isOn(): boolean {
    return this.mailer.isOn;
  }

  /**
   * Anybody can make accounts and invite strangers. So these mails have the limit of guesses of a password for each
   * person, and limits for each caller and each recipient, whatever the account.
   */
  async count(person: string, email: string, request: FastifyRequest): Promise<void> {
    await this.limits.count('signIn', `invite mails:${person}`);
    await this.limits.countTo(LINK_MAILS_MAX.caller, `invite mails by:${callerOf(request)}`, LINK_MAILS_MS);
    await this.limits.countTo(LINK_MAILS_MAX.recipient, `invite mails to:${email}`, LINK_MAILS_MS);
  }

  /** Throws if the server did not accept the mail. The mail contains no text of a caller. */
  async send({ id, email = '', role, expiresAt }: Invite, inviteUrl: string): Promise<void> {
    const end = await this.mailer.send({
      id,
      to: [email],
      subject: 'Lamppost: an invite',
      text: [
        `You are invited to an organisation at ${this.settings.http.publicUrl}, as ${role}. Sign in with this address, then open:`,
        inviteUrl,
        '',
        `The link works once, until ${expiresAt.toISOString()}. If you expect no invite, do nothing.`,
        '',
      ].join('\n'),
    });
    if (end.outcome === 'refused') {
      throw new InvalidRequest('The mail server refuses this address. Check it.', {
        param: 'email',
      });
    }
    if (end.outcome === 'failed') throw new InviteNotMailed(new Error(end.why));
  }
}
