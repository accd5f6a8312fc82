import { Inject, Injectable } from '@nestjs/common';

import { newId } from '#kernel/ids';
import { BackgroundWork } from '#platform/background/background-work';
import { type MailEnd, Mailer } from '#platform/mail/mailer';
import type { Person } from './account.entity';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

/** Mails to a person about the sign-in. No caller waits for them. They contain no text of a caller. */
@Injectable()
export class SecurityMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly background: BackgroundWork,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  get isOn(): boolean {
    return this.mailer.isOn;
  }

  /** Reports a change by mail, so that the owner is warned if somebody else made it. */
  send({ email }: Pick<Person, 'email'>, what: string): void {
    if (!this.isOn) return;
    const { publicUrl } = this.settings.http;
    this.background.detach('Mails about sign-ins', () =>
      this.sendNow(email, 'Lamppost: your sign-in has changed', [
        `${what} This was at ${new Date().toISOString()}, at ${publicUrl}.`,
        '',
        `If it was not you, set a new password at ${publicUrl}/account/forgot, then look at ${publicUrl}/account.`,
      ]),
    );
  }

  async sendNow(email: string, subject: string, lines: readonly string[]): Promise<void> {
    const end = await this.deliver(email, subject, lines);
    if (end.outcome === 'failed') throw new Error(end.why);
  }

  deliver(email: string, subject: string, lines: readonly string[]): Promise<MailEnd> {
    return this.mailer.send({ id: newId('mail'), to: [email], subject, text: `${lines.join('\n')}\n` });
  }
}
