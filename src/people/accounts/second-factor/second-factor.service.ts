import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { renderSVG } from 'uqr';

import type { Person } from '../account.entity';
import { InvalidCode, NoSecondFactor, SecondFactorOn } from '../accounts.errors';
import { OwnerProof, type Proof } from '../owner-proof';
import { SecurityMails } from '../security-mails';
import { SecondFactorCodes } from './second-factor-codes';
import { SecondFactorRepository } from './second-factor.repository';

export interface SecondFactorState {
  readonly since?: Date;
  readonly codesLeft: number;
}

/**
 * Sets up, confirms, renews and removes a person's authenticator app. Every step except the confirmation needs a proof.
 */
@Injectable()
export class SecondFactorService {
  constructor(
    private readonly factors: SecondFactorRepository,
    private readonly codes: SecondFactorCodes,
    private readonly proof: OwnerProof,
    private readonly mails: SecurityMails,
  ) {}

  async stateOf({ id }: Person): Promise<SecondFactorState> {
    const factor = await this.factors.confirmed(id);
    return factor === undefined
      ? { codesLeft: 0 }
      : { since: factor.confirmedAt, codesLeft: await this.factors.codesLeft(id) };
  }

  /**
   * Begins a set-up. It needs the password, because a thief of the session could otherwise lock the owner out with
   * another app.
   */
  async begin(
    person: Person,
    proof: Proof,
    request: FastifyRequest,
  ): Promise<{ readonly secret: string; readonly address: string; readonly qr: string }> {
    await this.proof.require(person, proof, request);
    const secret = this.codes.newSecret();
    if (!(await this.factors.begin(person.id, this.codes.seal(person.id, secret))))
      throw new SecondFactorOn();
    const address = this.codes.addressOf(secret, person.email);
    return { secret, address, qr: renderSVG(address) };
  }

  /** Returns the recovery codes. The service never shows them again. */
  async confirm(person: Person, code: string): Promise<readonly string[]> {
    const factor = await this.factors.pending(person.id);
    if (factor === undefined) throw new NoSecondFactor('No set-up is open. Begin it again.');
    const step = this.codes.stepOf(this.codes.open(person.id, factor.sealed), code);
    if (step === undefined) throw new InvalidCode();
    const codes = this.codes.newRecoveryCodes();
    if (!(await this.factors.confirm(factor, step, this.hashesOf(person, codes)))) throw new SecondFactorOn();
    this.mails.send(person, 'An authenticator app is now needed to sign in to your account.');
    return codes;
  }

  async renewCodes(person: Person, proof: Proof, request: FastifyRequest): Promise<readonly string[]> {
    await this.requireOn(person);
    await this.proof.require(person, proof, request);
    const codes = this.codes.newRecoveryCodes();
    await this.factors.renewCodes(person.id, this.hashesOf(person, codes));
    this.mails.send(person, 'The recovery codes of your account were made again. The old ones are invalid.');
    return codes;
  }

  async remove(person: Person, proof: Proof, request: FastifyRequest): Promise<void> {
    await this.requireOn(person);
    await this.proof.require(person, proof, request);
    await this.factors.remove(person.id);
    this.mails.send(
      person,
      'The authenticator app of your account was removed. A password alone signs in again.',
    );
  }

  private async requireOn({ id }: Person): Promise<void> {
    if ((await this.factors.confirmed(id)) === undefined)
      throw new NoSecondFactor('No authenticator app is set up.');
  }

  private hashesOf({ id }: Person, codes: readonly string[]): readonly Buffer[] {
    return codes.map((code) => this.codes.recoveryHash(id, code));
  }
}
