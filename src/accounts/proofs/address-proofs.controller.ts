import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { HttpRoute } from '../../platform/http/routes/route';
import { ApiFailures } from '../../platform/openapi/docs';
import { DoneAnswer } from '../accounts.dto';
import type { Acting } from '../acting';
import { AddressProofBody } from '../security.dto';
import { SessionRoute, SignedIn } from '../session.guard';
import { AddressProofs } from './address-proofs.service';

/** Routes for people whose address is not proven yet. */
@ApiTags('account')
@SessionRoute()
@Controller('v1/account/address-proof')
export class AddressProofsController {
  constructor(private readonly proofs: AddressProofs) {}

  @Post('mail')
  @HttpCode(200)
  @HttpRoute({ limit: 'signIn' })
  @ApiOperation({
    summary: 'Mail the link that proves your address again.',
    description:
      'With `SMTP_URL`, keys, invites, second factors, top-ups and closing need a proven address. At most three mails in a quarter of an hour.',
    operationId: 'mailAddressProof',
  })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiFailures(400, 401, 403, 409, 429, 503)
  async mail(@SignedIn() { person }: Acting, @Req() request: FastifyRequest): Promise<DoneAnswer> {
    await this.proofs.send(person, request);
    return { ok: true };
  }

  @Post()
  @HttpCode(200)
  @HttpRoute({ limit: 'signIn' })
  @ApiOperation({
    summary: 'Prove your address with the token of the mailed link.',
    description: 'Other sessions, and everything that was made in the account before, end.',
    operationId: 'proveAddress',
  })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiFailures(400, 401, 403, 410, 429)
  async prove(
    @SignedIn() { person }: Acting,
    @Body() { token }: AddressProofBody,
    @Req() request: FastifyRequest,
  ): Promise<DoneAnswer> {
    await this.proofs.prove(person, token, request);
    return { ok: true };
  }
}
