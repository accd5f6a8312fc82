import { Controller, HttpCode, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import type { FastifyRequest } from 'fastify';

import { checkWithFix } from '#platform/http/routes/body-fix';
import { HttpRoute } from '#platform/http/routes/route';
import { validateAs } from '#platform/http/routes/validation';
import { ApiBodyLike, PublicRoute } from '#platform/openapi/docs';
import { ApiFailures } from '#platform/openapi/failures';
import { QuoteAnswer, QuoteBody, QuoteQuery } from './quote.dto';
import { QuoteService } from './quote.service';
import { InDocument } from '#platform/openapi/audience';

/** Enough for a whole conversation: 48000 characters of up to four bytes, escaped. */
const QUOTE_BYTES_MAX = 400 * 1024;

@ApiTags('catalog')
@InDocument('crawlers')
@Controller('v1/agent/quote')
export class QuoteController {
  constructor(private readonly quotes: QuoteService) {}

  @Post()
  @HttpCode(200)
  @HttpRoute({ limit: 'free', bodyBytesMax: QUOTE_BYTES_MAX, condenses: true })
  @PublicRoute()
  @ApiOperation({
    summary: 'The exact price of a call, free, and locked for 15 minutes.',
    description:
      'With a credential, the price is that of its payer, where accounts and wallets pay different prices.',
    operationId: 'quote',
  })
  @ApiBodyLike(QuoteBody, { modelId: 'torch-video', duration: 4, resolution: '720p' })
  @ApiOkResponse({ type: QuoteAnswer })
  @ApiFailures(400, 401, 403, 404, 410, 413, 415, 451, 503)
  quote(@Req() request: FastifyRequest, @Query() { path }: QuoteQuery): Promise<QuoteAnswer> {
    return checkWithFix(request, (body) =>
      path === undefined
        ? this.quotes.quoteModel(validateAs(QuoteBody, body))
        : this.quotes.quoteCall(path, body, request),
    );
  }
}
