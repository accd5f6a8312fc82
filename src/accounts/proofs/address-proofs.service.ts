import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { AppError } from '../../kernel/app-error';
import { BackgroundWork } from '../../platform/background/background-work';
import { SETTINGS, type Settings } from '../../platform/config/settings';
import { SigningKeys } from '../../platform/config/signing-keys';
import { callerOf } from '../../platform/http/limits/caller-address';
import { RateLimits } from '../../platform/http/limits/rate-limits';
import type { Person } from '../account.entity';
import { NoMail, ProofExpired } from '../accounts.errors';
import { SecurityMails } from '../security-mails';
import { SessionAccounts } from '../session-accounts';
import { AddressProofRepository } from './address-proof.repository';

const PURPOSE = 'address proofs';
const LINK_MS = 24 * 3_600_000;
const TOKEN = /^(\d{13})\.([A-Za-z0-9_-]{43})$/;
/** An address gets few mails, because anybody may register it. A caller sends few mails, whatever the addresses. */
const MAILS_MAX = { address: 3, caller: 20 } as const;
const MAILS_MS = 15 * 60_000;

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
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Whether new accounts need a proof: only where links can be mailed. */
  get isNeeded(): boolean {
    return this.mails.isOn;
  }

  /** Mails the link again. Throws if too many mails went out. A proven address gets none. */
  async send(person: Person, request: FastifyRequest): Promise<void> {
    if (!this.mails.isOn) throw new NoMail();
    if (!person.proofDue) return;
    await this.count(person.email, request);
    this.background.detach('Mails with a link that proves an address', () => this.mail(person));
  }

  /** The first mail, after the registration, which succeeds whether or not the mail may be sent. */
  async sendFirst(person: Person, request: FastifyRequest): Promise<void> {
    try {
      await this.send(person, request);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }

  /** Proves the address. Everything that was made before ends, except the session of this call. */
  async prove(person: Person, token: string, request: FastifyRequest): Promise<void> {
    const [, time = '', signature = ''] = TOKEN.exec(token) ?? [];
    const isRight = this.keys
      .signatures(PURPOSE, textOf(person, time))
      .some((right) => right.toString('base64url') === signature);
    if (!isRight || Number(time) < Date.now()) throw new ProofExpired();
    if (!person.proofDue) return;
    if (!(await this.proofs.prove(person.id, person.email, this.sessions.hashesOf(request))))
      throw new ProofExpired();
    this.mails.send(
      person,
      'Your address is proven. Everything that was made in your account before has ended.',
    );
  }

  private async count(email: string, request: FastifyRequest): Promise<void> {
    await this.limits.countTo(MAILS_MAX.caller, `proof mails by:${callerOf(request)}`, MAILS_MS);
    await this.limits.countTo(MAILS_MAX.address, `proof mails:${email}`, MAILS_MS);
  }

  private async mail(person: Person): Promise<void> {
    const time = String(Date.now() + LINK_MS);
    const signature = this.keys.sign(PURPOSE, textOf(person, time)).toString('base64url');
    const { publicUrl } = this.settings.http;
    await this.mails.sendNow(person.email, 'Lamppost: prove your address', [
      `Somebody made an account with this address at ${publicUrl}. If it was you, sign in there and open:`,
      // Browsers never send the part behind `#`, so no log and no other site sees the token.
      `${publicUrl}/account#prove=${time}.${signature}`,
      '',
      `The link works until ${new Date(Number(time)).toISOString()}. If it was not you, do nothing: the account can have no`,
      `keys and no money. To take the account over, set a new password at ${publicUrl}/account/forgot.`,
    ]);
  }
}

const textOf = ({ id, email }: Person, time: string): string => `${id} ${email} ${time}`;
