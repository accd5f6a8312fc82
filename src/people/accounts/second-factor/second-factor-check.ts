import { Injectable } from '@nestjs/common';

import { InvalidCode, SecondFactorRequired, TooManyCodes } from '../accounts.errors';
import { SecurityMails } from '../security-mails';
import type { Person } from '../account.entity';
import { SecondFactorCodes } from './second-factor-codes';
import { GUESSES_MAX } from './second-factor-limits';
import { SecondFactorRepository } from './second-factor.repository';

const DIGITS = /^\d{6}$/;

/** Checks the second factor of a person whose password was right. */
@Injectable()
export class SecondFactorCheck {
  constructor(
    private readonly factors: SecondFactorRepository,
    private readonly codes: SecondFactorCodes,
    private readonly mails: SecurityMails,
  ) {}

  /**
   * Throws if the person has a second factor and the code is wrong. Returns whether the person has one. Each code of
   * the app, and each recovery code, is valid only once.
   */
  async require({ id, email }: Pick<Person, 'id' | 'email'>, code: string | undefined): Promise<boolean> {
    const factor = await this.factors.confirmed(id);
    if (factor === undefined) return false;
    const given = code?.trim() ?? '';
    if (given === '') throw new SecondFactorRequired();
    const digits = given.replaceAll(/\s/g, '');
    const isRight = DIGITS.test(digits)
      ? await this.isCode({ id, email }, factor.sealed, digits)
      : await this.factors.useRecoveryCode(id, this.codes.recoveryHash(id, given));
    if (!isRight) throw new InvalidCode();
    return true;
  }

  /**
   * Only callers with the right password get here, so a stranger can't use up the owner's tries. Nobody can guess
   * recovery codes, so their tries are not counted. The owner can therefore sign in with one even during an attack.
   */
  private async isCode(person: Pick<Person, 'id' | 'email'>, sealed: Buffer, code: string): Promise<boolean> {
    const guess = await this.factors.countGuess(person.id);
    if (guess === undefined) throw new TooManyCodes();
    const step = this.codes.stepOf(this.codes.open(person.id, sealed), code);
    if (step !== undefined && (await this.factors.useStep(person.id, step))) return true;
    if (guess === GUESSES_MAX) {
      this.mails.send(
        person,
        `Somebody sent your right password with ${GUESSES_MAX} wrong codes. Codes of the app are refused for a day.`,
      );
    }
    return false;
  }
}
