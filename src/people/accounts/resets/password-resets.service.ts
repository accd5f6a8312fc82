import { Inject, Injectable } from '@nestjs/common';

import { AppError } from '#kernel/app-error';
import { BackgroundWork } from '#platform/background/background-work';
import { SigningKeys } from '#platform/config/signing-keys';
import { RateLimits } from '#platform/http/limits/rate-limits';
import { AccountRepository } from '../account.repository';
import { CommonPassword, NoMail, ResetExpired } from '../accounts.errors';
import { isCommonPassword } from '../password-rules';
import { emailIn } from '../email';
import { LINK_MAILS_MAX, LINK_MAILS_MS, RESET_LINK_HOURS } from '../mailed-link-limits';
import { Passwords } from '../passwords';
import { isSecretToken, newSecretToken } from '../secret-token';
import { SecurityMails } from '../security-mails';
import { PasswordResetRepository } from './password-reset.repository';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

export interface ResetLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/** Links that set a new password. The service mails them, or an operator makes them. */
@Injectable()
export class PasswordResets {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly resets: PasswordResetRepository,
    private readonly passwords: Passwords,
    private readonly mails: SecurityMails,
    private readonly limits: RateLimits,
    private readonly background: BackgroundWork,
    private readonly keys: SigningKeys,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  /** All look-ups run after the answer. So neither the answer nor its time shows whether there is an account. */
  async forgot(text: string): Promise<void> {
    const email = emailIn(text);
    if (!this.mails.isOn) throw new NoMail();
    if (await this.mayMail(email))
      this.background.detach('Mails with a link for a new password', () => this.mail(email));
  }

  /** Makes a link. Returns undefined if there is no such person, or the account is closed. */
  async link(accountId: string, hours: number, removesSecondFactor = false): Promise<ResetLink | undefined> {
    const token = newSecretToken();
    const draft = { hours, removesSecondFactor };
    const expiresAt = await this.resets.add(accountId, this.keys.sign('password resets', token), draft);
    // Browsers never send the part behind `#`, so no log and no other site sees the token.
    const url = `${this.settings.http.publicUrl}/account/reset#${token}`;
    return expiresAt && { url, expiresAt };
  }

  /** Makes a link for a person whose identity an operator has checked. */
  async byOperator(accountId: string, removesSecondFactor: boolean): Promise<ResetLink | undefined> {
    const link = await this.link(accountId, RESET_LINK_HOURS.byOperator, removesSecondFactor);
    const account = link && (await this.accounts.find(accountId));
    if (account?.email !== undefined) {
      this.mails.send(
        { email: account.email },
        'An operator of the service made a link for a new password of your account.',
      );
    }
    return link;
  }

  /** Sets the password and ends every session. It opens no session, because a sign-in still needs the second factor. */
  async reset(token: string, password: string): Promise<number> {
    if (!isSecretToken(token)) throw new ResetExpired();
    const hashes = this.keys.signatures('password resets', token);
    const person = await this.resets.personOf(hashes);
    if (person === undefined) throw new ResetExpired();
    if (isCommonPassword(password, person.email)) throw new CommonPassword('password');
    const passkeys = await this.resets.use(hashes, await this.passwords.hash(password));
    if (passkeys === undefined) throw new ResetExpired();
    this.mails.send(person, 'A link set a new password for your account. You are signed out everywhere.');
    return passkeys;
  }

  private async mayMail(email: string): Promise<boolean> {
    try {
      await this.limits.countTo(LINK_MAILS_MAX.recipient, `reset mails:${email}`, LINK_MAILS_MS);
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  private async mail(email: string): Promise<void> {
    const person = await this.accounts.withPassword('email', email);
    const link = person && (await this.link(person.account.id, RESET_LINK_HOURS.mailed));
    if (link === undefined) return;
    await this.mails.sendNow(email, 'Lamppost: a new password', [
      `Somebody asked for a new password of your account at ${this.settings.http.publicUrl}. To set one, open:`,
      link.url,
      '',
      `The link works once, until ${link.expiresAt.toISOString()}. If you did not ask for it, do nothing.`,
    ]);
  }
}
