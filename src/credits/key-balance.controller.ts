import { Controller, Get, Header, Inject, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { accountLinks } from '../accounts/account-links';
import { Owners } from '../billing/calls/owners';
import { MissingCredentials } from '../billing/calls/refused-call.errors';
import { keyIn } from '../keys/key-header';
import { SETTINGS, type Settings } from '../platform/config/settings';
import { ApiFailures } from '../platform/openapi/docs';
import { KeyBalanceAnswer } from './credits.dto';
import { CreditsService } from './credits.service';

@ApiTags('billing')
@Controller('v1/agent/balance')
export class KeyBalanceController {
  constructor(
    private readonly owners: Owners,
    private readonly credits: CreditsService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  @ApiSecurity('apiKey')
  @ApiSecurity('bearerKey')
  @ApiOperation({
    summary: "The balance of the key's owner, with recent transactions.",
    description:
      'A key that another key, a session or a wallet has made is told what it may spend itself: the least that it and all ' +
      'above it have left. It sees no transactions, which are those of its owner.',
    operationId: 'getBalance',
  })
  @ApiOkResponse({ type: KeyBalanceAnswer })
  @ApiFailures(401, 403, 429, 451)
  async balance(@Req() request: FastifyRequest): Promise<KeyBalanceAnswer> {
    if (keyIn(request) === undefined) {
      const { manageKeys, signIn } = accountLinks(this.settings.http.publicUrl);
      throw new MissingCredentials(
        'This needs a key, as x-api-key or as Bearer. Wallets ask GET /v1/agent/x402/balance/{wallet}.',
        { links: { manageKeys, signIn } },
      );
    }
    return this.credits.keyBalance(await this.owners.payerIn(request, 'read'));
  }
}
