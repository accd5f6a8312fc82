import { Controller, Get, Header, Param, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { TOP_UP_REPLAY_SECONDS } from '#money/billing/calls/replay-limits';
import { OPERATION, declareOperation } from '#money/billing/charges/operation';
import { usdText } from '#kernel/money';
import { PublicRoute } from '#platform/openapi/docs';
import { ApiFailures } from '#platform/openapi/failures';
import { TOP_UP_AMOUNTS } from './top-up-amounts';
import { TopUpPricer } from './top-up.pricer';
import { TopUpAnswer, TopUpBody, WalletBalanceAnswer, WalletTransactionsAnswer } from './wallet.dto';
import { WalletService } from './wallet.service';
import { PageQuery } from '#platform/http/routes/page-query';
import { InDocument } from '#platform/openapi/audience';

const WALLET_PARAM = { name: 'wallet', schema: { type: 'string', pattern: '^0x[a-fA-F0-9]{40}$' } };
const USD_PARAM = {
  name: 'usd',
  required: false,
  description: 'The amount, such as 25 or 25.50. A lower or a higher amount counts as the least or the most.',
  schema: {
    type: 'number',
    minimum: Number(usdText(TOP_UP_AMOUNTS.min)),
    maximum: Number(usdText(TOP_UP_AMOUNTS.max)),
    default: Number(usdText(TOP_UP_AMOUNTS.default)),
  },
} as const;
const BODY_BYTES_MAX = 8 * 1024;
/** A top-up runs no work, so its payment needs to be valid only until the settlement. */
const RUN_SECONDS_MAX = 30;

const TOPPING_UP = declareOperation({
  name: OPERATION.topUp,
  sold: 'A deposit to the balance of the paying wallet.',
});

@ApiTags('wallet')
@InDocument('crawlers')
@Controller('v1/agent/x402')
export class WalletController {
  constructor(private readonly wallets: WalletService) {}

  @Post('top-up')
  @Paid(
    {
      operation: TOPPING_UP,
      body: TopUpBody,
      pricer: TopUpPricer,
      limit: 'topUp',
      rails: ['x402'],
      runSecondsMax: RUN_SECONDS_MAX,
      replaySeconds: TOP_UP_REPLAY_SECONDS,
      answer: 'after-settle',
      bodyBytesMax: BODY_BYTES_MAX,
      generates: false,
      example: {
        body: {},
        answer: {
          wallet: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
          topUpMicro: 10_000_000,
          balanceMicro: 10_000_000,
        },
      },
    },
    {
      price: { min: usdText(TOP_UP_AMOUNTS.min), max: usdText(TOP_UP_AMOUNTS.max) },
      answers: [TopUpAnswer],
    },
  )
  @ApiOperation({ summary: "Fund the paying wallet's prepaid balance.", operationId: 'topUp' })
  @ApiQuery(USD_PARAM)
  topUp(@Call() call: PaidCall<TopUpBody>): Promise<TopUpAnswer> {
    return this.wallets.toppedUp(call);
  }

  @Get('balance/:wallet')
  @Header('cache-control', 'no-store')
  @PublicRoute()
  @ApiOperation({ summary: "A wallet's prepaid balance.", operationId: 'walletBalance' })
  @ApiParam(WALLET_PARAM)
  @ApiOkResponse({ type: WalletBalanceAnswer })
  @ApiFailures(400)
  balance(@Param('wallet') wallet: string): Promise<WalletBalanceAnswer> {
    return this.wallets.balance(wallet);
  }

  @Get('transactions/:wallet')
  @Header('cache-control', 'no-store')
  @PublicRoute()
  @ApiOperation({ summary: "A wallet's ledger, newest first.", operationId: 'walletTransactions' })
  @ApiParam(WALLET_PARAM)
  @ApiOkResponse({ type: WalletTransactionsAnswer })
  @ApiFailures(400, 401, 451)
  transactions(
    @Req() request: FastifyRequest,
    @Param('wallet') wallet: string,
    @Query() { limit, cursor }: PageQuery,
  ): Promise<WalletTransactionsAnswer> {
    return this.wallets.transactions(request, wallet, limit, cursor);
  }
}
