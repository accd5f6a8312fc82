import { Inject, Injectable } from '@nestjs/common';

import { InvalidRequest } from '../kernel/app-error';
import { SETTINGS, type Settings } from '../platform/config/settings';
import { RateLimits } from '../platform/http/limits/rate-limits';
import { Mailer } from '../platform/mail/mailer';
import type { Invite } from './invite.entity';
import { InviteNotMailed } from './organisations.errors';

/** Mails the link of an invite only to its address. A person who uses the link has proven to read that mailbox. */
@Injectable()
export class InviteMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly limits: RateLimits,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  get isOn(): boolean {
    return this.mailer.isOn;
  }

  /** Anybody can make an account and invite strangers, so these mails have the same limit as guesses of a password. */
  async count(person: string): Promise<void> {
    await this.limits.count('signIn', `invite mails:${person}`);
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
