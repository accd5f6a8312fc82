import { Body, Controller, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { AccountRoute } from '../routes/account-route';
import { PERSON } from '../roles';
import { DoneAnswer } from '../accounts.dto';
import type { Acting } from '../acting-person';
import { AddressProofBody } from '../security.dto';
import { SignedIn } from '../session.guard';
import { AddressProofs } from './address-proofs.service';

/** Routes for people whose address is not proven yet. */
@ApiTags('account')
@Controller('v1/account/address-proof')
export class AddressProofsController {
  constructor(private readonly proofs: AddressProofs) {}

  @Post('mail')
  @AccountRoute({
    who: PERSON,
    limit: 'signIn',
    summary: 'Mail the link that proves your address again.',
    description:
      'With `SMTP_URL`, keys, invites, second factors, top-ups and closing need a proven address. At most three mails in a quarter of an hour.',
    operationId: 'mailAddressProof',
    answer: DoneAnswer,
    failures: [400, 401, 403, 409, 429, 503],
  })
  async mail(@SignedIn() { person }: Acting, @Req() request: FastifyRequest): Promise<DoneAnswer> {
    await this.proofs.send(person, request);
    return { ok: true };
  }

  @Post()
  @AccountRoute({
    who: PERSON,
    limit: 'signIn',
    summary: 'Prove your address with the token of the mailed link.',
    description: 'Other sessions, and everything that was made in the account before, end.',
    operationId: 'proveAddress',
    answer: DoneAnswer,
    failures: [400, 401, 403, 410, 429],
  })
  async prove(
    @SignedIn() { person }: Acting,
    @Body() { token }: AddressProofBody,
    @Req() request: FastifyRequest,
  ): Promise<DoneAnswer> {
    await this.proofs.prove(person, token, request);
    return { ok: true };
  }
}
