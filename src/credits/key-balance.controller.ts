import { Controller, Get, Header, Inject, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { accountLinks } from '../accounts/account-links';
import { MissingCredentials } from '../billing/calls/calls.errors';
import { KeyAuthority } from '../keys/key-authority';
import { keyIn } from '../keys/key-header';
import { SETTINGS, type Settings } from '../platform/config/settings';
import { ApiFailures } from '../platform/openapi/docs';
import { KeyBalanceAnswer } from './credits.dto';
import { CreditsService } from './credits.service';

@ApiTags('billing')
@Controller('v1/agent/balance')
export class KeyBalanceController {
  constructor(
    private readonly keys: KeyAuthority,
    private readonly credits: CreditsService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  @ApiSecurity('apiKey')
  @ApiSecurity('bearerKey')
  @ApiOperation({
    summary: "The balance of the key's owner, with recent transactions.",
    operationId: 'getBalance',
  })
  @ApiOkResponse({ type: KeyBalanceAnswer })
  @ApiFailures(401, 429)
  async balance(@Req() request: FastifyRequest): Promise<KeyBalanceAnswer> {
    const key = keyIn(request);
    if (key === undefined) {
      const { manageKeys, signIn } = accountLinks(this.settings.http.publicUrl);
      throw new MissingCredentials(
        'This needs a key, as x-api-key or as Bearer. Wallets ask GET /v1/agent/x402/balance/{wallet}.',
        { links: { manageKeys, signIn } },
      );
    }
    const { accountId } = await this.keys.identify(key);
    return this.credits.keyBalance(accountId);
  }
}
