import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { AppError } from '#kernel/app-error';
import { BackgroundWork } from '#platform/background/background-work';
import { SigningKeys } from '#platform/config/signing-keys';
import { callerOf } from '#platform/http/limits/caller-address';
import { RateLimits } from '#platform/http/limits/rate-limits';
import type { MailEnd } from '#platform/mail/mailer';
import type { Account, Person } from '../account.entity';
import { NoMail, ProofExpired, ProofNotMailed, ProofRefused } from '../accounts.errors';
import { LINK_MAILS_MAX, LINK_MAILS_MS, PROOF_LINK_MS } from '../mailed-link-limits';
import { SecurityMails } from '../security-mails';
import { SessionAccounts } from '../session-accounts';
import { AddressProofRepository } from './address-proof.repository';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

const PURPOSE = 'address proofs';
const TOKEN = /^(\d{13})\.([A-Za-z0-9_-]{43})$/;

/**
 * Proves that a person reads the mail of their address, by a link. The link works only in a session of this person, so
 * a stranger who registered the address gets nothing when its owner opens the link. Tokens are signed instead of stored.
 */
@Injectable()
export class AddressProofs {
  constructor(
    private readonly proofs: AddressProofRepository,
    private readonly sessions: SessionAccounts,
    private readonly mails: SecurityMails,
    private readonly limits: RateLimits,
    private readonly keys: SigningKeys,
    private readonly background: BackgroundWork,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  /** Whether new accounts need a proof: only where links can be mailed. */
  get isNeeded(): boolean {
    return this.mails.isOn;
  }

  /** Whether routes refuse this account until its address is proven. */
  isDue({ proofDue }: Pick<Account, 'proofDue'>): boolean {
    return proofDue && this.isNeeded;
  }

  /**
   * Mails the link again. Throws if too many mails went out, or if the server did not take the mail. A proven address
   * gets none.
   */
  async send(person: Person, request: FastifyRequest): Promise<void> {
    if (!this.mails.isOn) throw new NoMail();
    if (!person.proofDue) return;
    await this.count(person.email, request);
    const end = await this.mail(person);
    if (end.outcome === 'refused') throw new ProofRefused();
    if (end.outcome === 'failed') throw new ProofNotMailed(end.why);
  }

  /** The first mail, after the registration, which neither waits for the mail nor needs it. */
  async sendFirst(person: Person, request: FastifyRequest): Promise<void> {
    try {
      await this.count(person.email, request);
    } catch (error) {
      if (error instanceof AppError) return;
      throw error;
    }
    this.background.detach('Mails with a link that proves an address', async () => {
      const end = await this.mail(person);
      if (end.outcome === 'failed') throw new Error(end.why);
    });
  }

  /** Proves the address. Everything that was made before ends, except the session of this call. */
  async prove(person: Person, token: string, request: FastifyRequest): Promise<void> {
    const [, time = '', signature = ''] = TOKEN.exec(token) ?? [];
    const isRight = this.keys
      .signatures(PURPOSE, textOf(person, time))
      .some((right) => right.toString('base64url') === signature);
    if (!isRight || Number(time) < Date.now()) throw new ProofExpired();
    if (!person.proofDue) return;
    if (!(await this.proofs.prove(person, this.sessions.hashesOf(request)))) throw new ProofExpired();
    this.report(person);
  }

  /** Reports by mail that the address is proven. */
  report(person: Person): void {
    this.mails.send(
      person,
      'Your address is proven. Keys, invites and other sessions that were made in your account before have ended.',
    );
  }

  private async count(email: string, request: FastifyRequest): Promise<void> {
    await this.limits.countTo(LINK_MAILS_MAX.caller, `proof mails by:${callerOf(request)}`, LINK_MAILS_MS);
    await this.limits.countTo(LINK_MAILS_MAX.recipient, `proof mails:${email}`, LINK_MAILS_MS);
  }

  private mail(person: Person): Promise<MailEnd> {
    const time = String(Date.now() + PROOF_LINK_MS);
    const signature = this.keys.sign(PURPOSE, textOf(person, time)).toString('base64url');
    const { publicUrl } = this.settings.http;
    return this.mails.deliver(person.email, 'Lamppost: prove your address', [
      `Somebody made an account with this address at ${publicUrl}. If it was you, prove the address in two steps:`,
      '',
      `1. Sign in at ${publicUrl}/account/sign-in`,
      '2. Then open this link in the same browser:',
      '',
      // Browsers never send the part behind `#`, so no log and no other site sees the token.
      `${publicUrl}/account#prove=${time}.${signature}`,
      '',
      `The link works until ${minuteText(new Date(Number(time)))}.`,
      '',
      'If it was not you, do nothing: the account can have no keys and no money.',
      `To take the account over, set a new password at ${publicUrl}/account/forgot.`,
    ]);
  }
}

const MINUTE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** A time for people, such as `29 November 2026, 00:34 UTC`. */
const minuteText = (when: Date): string => `${MINUTE.format(when)}, ${when.toISOString().slice(11, 16)} UTC`;

const textOf = ({ id, email }: Person, time: string): string => `${id} ${email} ${time}`;
