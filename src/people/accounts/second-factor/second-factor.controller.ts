import { Body, Controller, Get, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { AccountRoute } from '../routes/account-route';
import { PERSON } from '../roles';
import { DoneAnswer } from '../accounts.dto';
import type { Acting } from '../acting-person';
import { passkeyAnswerFor } from '../passkeys/passkey-answer';
import { PasskeysService } from '../passkeys/passkeys.service';
import {
  CodeBody,
  ProofBody,
  RecoveryCodesAnswer,
  SecondFactorStartAnswer,
  SecurityAnswer,
} from '../security.dto';
import { SignedIn } from '../session.guard';
import { SecondFactorService } from './second-factor.service';

/** Shows how a person signs in, and sets up the authenticator app. */
@ApiTags('account')
@Controller('v1/account')
export class SecondFactorController {
  constructor(
    private readonly factors: SecondFactorService,
    private readonly passkeys: PasskeysService,
  ) {}

  @Get('security')
  @AccountRoute({
    who: PERSON,
    summary: 'The authenticator app and the passkeys of your sign-in.',
    operationId: 'getSecurity',
    answer: SecurityAnswer,
    failures: [401, 429],
  })
  async security(@SignedIn() { person }: Acting): Promise<SecurityAnswer> {
    const [{ since, codesLeft }, passkeys] = await Promise.all([
      this.factors.stateOf(person),
      this.passkeys.listOf(person),
    ]);
    return {
      secondFactor: { on: since !== undefined, since: since?.toISOString(), recoveryCodesLeft: codesLeft },
      passkeys: passkeys.map(passkeyAnswerFor),
      passkeysPossible: this.passkeys.arePossible,
    };
  }

  @Post('second-factor')
  @AccountRoute({
    who: PERSON,
    needsProof: true,
    limit: 'signIn',
    summary: 'Begin to set up an authenticator app.',
    description: 'The app is active after `confirmSecondFactor`, which must follow within 15 minutes.',
    operationId: 'beginSecondFactor',
    status: 201,
    answer: SecondFactorStartAnswer,
    failures: [400, 401, 403, 409, 429, 503],
  })
  begin(
    @SignedIn() { person }: Acting,
    @Body() proof: ProofBody,
    @Req() request: FastifyRequest,
  ): Promise<SecondFactorStartAnswer> {
    return this.factors.begin(person, proof, request);
  }

  @Post('second-factor/confirm')
  @AccountRoute({
    who: PERSON,
    needsProof: true,
    limit: 'signIn',
    summary: 'End the set-up with a code of the app.',
    operationId: 'confirmSecondFactor',
    answer: RecoveryCodesAnswer,
    failures: [400, 401, 403, 409, 429],
  })
  async confirm(@SignedIn() { person }: Acting, @Body() { code }: CodeBody): Promise<RecoveryCodesAnswer> {
    return { recoveryCodes: await this.factors.confirm(person, code.replaceAll(/\s/g, '')) };
  }

  @Post('second-factor/recovery-codes')
  @AccountRoute({
    who: PERSON,
    needsProof: true,
    limit: 'signIn',
    summary: 'Make new recovery codes; the old ones end.',
    operationId: 'renewRecoveryCodes',
    answer: RecoveryCodesAnswer,
    failures: [400, 401, 403, 409, 429, 503],
  })
  async renew(
    @SignedIn() { person }: Acting,
    @Body() proof: ProofBody,
    @Req() request: FastifyRequest,
  ): Promise<RecoveryCodesAnswer> {
    return { recoveryCodes: await this.factors.renewCodes(person, proof, request) };
  }

  @Post('second-factor/remove')
  @AccountRoute({
    who: PERSON,
    limit: 'signIn',
    summary: 'Remove the authenticator app.',
    operationId: 'removeSecondFactor',
    answer: DoneAnswer,
    failures: [400, 401, 403, 409, 429, 503],
  })
  async remove(
    @SignedIn() { person }: Acting,
    @Body() proof: ProofBody,
    @Req() request: FastifyRequest,
  ): Promise<DoneAnswer> {
    await this.factors.remove(person, proof, request);
    return { ok: true };
  }
}
