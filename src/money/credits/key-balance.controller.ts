import { Controller, Get, Header, Inject, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { accountLinks } from '#people/accounts/account-links';
import { Owners } from '#money/billing/calls/owners';
import { MissingCredentials } from '#money/billing/calls/refused-call.errors';
import { grantedKeyOf } from '#people/keys/granted-key';
import { keyIn } from '#people/keys/key-header';
import { ApiFailures } from '#platform/openapi/failures';
import { ApiKeyRail } from '#money/billing/rails/api-key/api-key.rail';
import { Rails } from '#money/billing/rails/rails';
import { WalletRail } from '#money/billing/rails/wallet/wallet.rail';
import { KeyBalanceAnswer } from './credits.dto';
import { CreditsService } from './credits.service';
import { InDocument } from '#platform/openapi/audience';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

@ApiTags('billing')
@InDocument('crawlers')
@Controller('v1/agent/balance')
export class KeyBalanceController {
  constructor(
    private readonly owners: Owners,
    private readonly credits: CreditsService,
    private readonly rails: Rails,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  @ApiSecurity('apiKey')
  @ApiSecurity('bearerKey')
  @ApiOperation({
    summary: "The balance of the key's owner, with recent transactions.",
    description:
      'For a delegated key, this is the amount that it may spend itself: the least that it and all ' +
      'keys above it have left. It sees no transactions, because they belong to its owner.',
    operationId: 'getBalance',
  })
  @ApiOkResponse({ type: KeyBalanceAnswer })
  @ApiFailures(401, 403, 429, 451)
  async balance(@Req() request: FastifyRequest): Promise<KeyBalanceAnswer> {
    if (
      keyIn(request) === undefined &&
      grantedKeyOf(request) === undefined &&
      !this.isOfOtherMoney(request)
    ) {
      const { manageKeys, signIn } = accountLinks(this.settings.http.publicUrl);
      throw new MissingCredentials(
        'This needs a key, as x-api-key or as Bearer. Wallets ask GET /v1/agent/x402/balance/{wallet}.',
        { links: { manageKeys, signIn } },
      );
    }
    return this.credits.keyBalance(await this.owners.payerIn(request, 'read'));
  }

  /** Whether the request has a credential of prepaid money that is neither an account's nor a wallet's. */
  private isOfOtherMoney(request: FastifyRequest): boolean {
    const rail = this.rails.prepaidClaiming(request)?.name;
    return rail !== undefined && rail !== ApiKeyRail.facts.name && rail !== WalletRail.facts.name;
  }
}
