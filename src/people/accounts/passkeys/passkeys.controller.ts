import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { AccountRoute } from '../routes/account-route';
import { EVERYBODY, PERSON } from '../roles';
import { DoneAnswer, SignedInAnswer } from '../accounts.dto';
import { signedInAnswerFor } from '../accounts.answers';
import type { Acting } from '../acting-person';
import {
  PasskeyAnswer,
  PasskeyBody,
  PasskeyOptionsAnswer,
  PasskeyRemovalBody,
  PasskeySignInBody,
  ProofBody,
} from '../security.dto';
import { AddressProofs } from '../proofs/address-proofs.service';
import { SignedIn } from '../session.guard';
import { passkeyAnswerFor } from './passkey-answer';
import { PasskeysService } from './passkeys.service';

/** Passkeys of a person, and the sign-in with one. */
@ApiTags('account')
@Controller('v1/account')
export class PasskeysController {
  constructor(
    private readonly passkeys: PasskeysService,
    private readonly proofs: AddressProofs,
  ) {}

  @Post('passkeys/options')
  @AccountRoute({
    who: PERSON,
    needsProof: true,
    limit: 'signIn',
    summary: 'Begin to add a passkey.',
    operationId: 'beginPasskey',
    answer: PasskeyOptionsAnswer,
    failures: [400, 401, 403, 409, 429, 503],
  })
  async begin(
    @SignedIn() { person }: Acting,
    @Body() proof: ProofBody,
    @Req() request: FastifyRequest,
  ): Promise<PasskeyOptionsAnswer> {
    return { options: await this.passkeys.beginAdding(person, proof, request) };
  }

  @Post('passkeys')
  @AccountRoute({
    who: PERSON,
    needsProof: true,
    summary: 'Add a passkey.',
    description: "Send the browser's answer within 5 minutes after `beginPasskey`.",
    operationId: 'addPasskey',
    status: 201,
    answer: PasskeyAnswer,
    failures: [400, 401, 403, 409, 429],
  })
  async add(@SignedIn() { person }: Acting, @Body() { name, response }: PasskeyBody): Promise<PasskeyAnswer> {
    return passkeyAnswerFor(await this.passkeys.add(person, name, response));
  }

  @Post('passkeys/remove')
  @AccountRoute({
    who: PERSON,
    limit: 'signIn',
    summary: 'Remove a passkey.',
    operationId: 'removePasskey',
    answer: DoneAnswer,
    failures: [400, 401, 403, 404, 429, 503],
  })
  async remove(
    @SignedIn() { person }: Acting,
    @Body() { id, ...proof }: PasskeyRemovalBody,
    @Req() request: FastifyRequest,
  ): Promise<DoneAnswer> {
    await this.passkeys.remove(person, id, proof, request);
    return { ok: true };
  }

  @Post('sign-in/passkey/options')
  @AccountRoute({
    who: EVERYBODY,
    limit: 'signIn',
    limitedAs: 'passkey options',
    summary: 'Begin to sign in with a passkey.',
    operationId: 'beginPasskeySignIn',
    answer: PasskeyOptionsAnswer,
    failures: [403, 409],
  })
  async beginSignIn(): Promise<PasskeyOptionsAnswer> {
    return { options: await this.passkeys.beginSignIn() };
  }

  @Post('sign-in/passkey')
  @AccountRoute({
    who: EVERYBODY,
    limit: 'signIn',
    summary: 'Sign in with a passkey.',
    description: 'This needs no code of an authenticator app, because the device has verified its user.',
    operationId: 'passkeySignIn',
    answer: SignedInAnswer,
    failures: [400, 401, 403],
  })
  async signIn(
    @Body() { response }: PasskeySignInBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedInAnswer> {
    const person = await this.passkeys.signIn(response, request, reply);
    return signedInAnswerFor(person, this.proofs.isDue(person));
  }
}
