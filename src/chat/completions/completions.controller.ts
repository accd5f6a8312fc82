import { Controller, HttpCode, Inject, type OnModuleInit, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { accountLinks } from '../../accounts/account-links';
import { MissingCredentials } from '../../billing/calls/calls.errors';
import { ANSWER_HEADERS, CHARGE_HEADERS } from '../../billing/calls/charge-headers';
import { ApiKeyRail } from '../../billing/rails/api-key/api-key.rail';
import type { Payer } from '../../billing/rails/payer';
import { Payers } from '../../billing/rails/payers';
import { SETTINGS, type Settings } from '../../platform/config/settings';
import { ApiIdempotencyKey } from '../../platform/http/routes/idempotency-key';
import { tellOwnLimit } from '../../platform/http/limits/address-limits';
import { RateLimits } from '../../platform/http/limits/rate-limits';
import { checkAndTeach } from '../../platform/http/routes/remedies';
import { validateAs } from '../../platform/http/routes/validation';
import { type Answered, HttpHooks } from '../../platform/http/hooks';
import { HttpRoute, routeOf } from '../../platform/http/routes/route';
import { ApiBodyLike, ApiFailuresWith } from '../../platform/openapi/docs';
import { CompletionAnswer, CompletionBody } from './completions.dto';
import { CompletionsService } from './completions.service';

const PATH = '/v1/chat/completions';
/** Long conversations, and images in them. */
const STUDIO_BYTES_MAX = 12 * 1024 * 1024;

/** Chat for the studio and for stock clients that are pointed at `/v1`: charged by the tokens really used. */
@ApiTags('generation')
@Controller(PATH)
export class CompletionsController implements OnModuleInit {
  constructor(
    private readonly completions: CompletionsService,
    private readonly rail: ApiKeyRail,
    private readonly payers: Payers,
    private readonly limits: RateLimits,
    private readonly hooks: HttpHooks,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** A stream writes its answer by itself, and what the framework would put around its route costs more than that. */
  onModuleInit(): void {
    this.hooks.beforeRoute('completion', (request, reply) =>
      routeOf(request).url === PATH ? this.complete(request, reply) : undefined,
    );
  }

  @Post()
  @HttpCode(200)
  @HttpRoute({
    limit: 'challenge',
    paid: true,
    charges: true,
    bodyBytesMax: STUDIO_BYTES_MAX,
    uploads: {},
    generates: true,
  })
  @ApiSecurity('apiKey')
  @ApiSecurity('bearerKey')
  @ApiOperation({
    summary: 'Chat in the OpenAI shape, streamed or whole, charged by tokens.',
    description:
      'With `stream: true` the answer is text/event-stream: chunks, the usage when asked for, and [DONE].',
    operationId: 'chatCompletions',
  })
  @ApiIdempotencyKey(
    'A mark of yours: the same mark gets the first whole answer again and is charged once. A stream is not given again.',
  )
  @ApiBodyLike(CompletionBody, { messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 64 })
  @ApiOkResponse({ type: CompletionAnswer, headers: ANSWER_HEADERS })
  @ApiFailuresWith(CHARGE_HEADERS, 400, 401, 402, 403, 404, 408, 409, 410, 413, 415, 422, 429, 451, 502, 503)
  async complete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<Answered> {
    void reply.header('cache-control', 'no-store');
    const body = await checkAndTeach(request, (sent) => validateAs(CompletionBody, sent));
    if (!this.rail.claims(request)) {
      const { manageKeys, signIn } = accountLinks(this.settings.http.publicUrl);
      throw new MissingCredentials('This route takes an API key (x-api-key, or Bearer lp_…) or a session.', {
        links: { manageKeys, signIn },
      });
    }
    const payer = await this.payers.provenIn(this.rail, request);
    const { completions } = this;
    if (body.stream === true) {
      await this.count(payer, request, reply);
      await completions.stream(payer, body, request, reply);
      return 'answered';
    }
    let answer = await completions.answeredBefore(payer, request, reply);
    if (answer === undefined) {
      await this.count(payer, request, reply);
      answer = await completions.complete(payer, body, request, reply);
    }
    void reply.send(answer);
    return 'answered';
  }

  private async count(payer: Payer, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    tellOwnLimit(request, reply, await this.limits.count('chat', payer.limitedAs));
  }
}
