import { Body, Controller, HttpCode, Param, Post, Req, Res, applyDecorators } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { readContent } from '#models/conversation/gemini-body';
import { readMessages } from '#models/conversation/messages-body';
import { readResponses } from '#models/conversation/responses-body';
import { HttpRoute } from '#platform/http/routes/route';
import { ApiBodyLike, PublicRoute } from '#platform/openapi/docs';
import { ApiFailures } from '#platform/openapi/failures';
import { BY_USE } from '../compatible/compatible-route';
import {
  ContentTokensAnswer,
  ContentTokensBody,
  CountTokensAnswer,
  CountTokensBody,
  InputTokensAnswer,
  InputTokensBody,
} from './counting.dto';
import { TokenCounter } from './token-counter';

const { bodyBytesMax, uploads, keptBytesMax } = BY_USE;

const ABOUT =
  'Free. With a credential, the vendor of the model counts, if it can. Otherwise the count is our estimate. The ' +
  'header `X-Token-Count` of the answer is `exact` or `estimate`.';

/** A free count, limited like quotes. Only the body of a proven caller may be large. */
const Count = (body: new () => object, example: object, answer: new () => object): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    HttpRoute({ limit: 'free', admission: 'payer', bodyBytesMax, uploads, keptBytesMax }),
    PublicRoute(),
    ApiBodyLike(body, example),
    ApiOkResponse({ type: answer }),
    ApiFailures(400, 401, 402, 403, 404, 413, 415, 451, 503),
  );

/** The counts that agents ask for before they shorten a conversation, each in the shape of its API. */
@ApiTags('catalog')
@Controller('v1')
export class CountingController {
  constructor(private readonly counter: TokenCounter) {}

  @Post('messages/count_tokens')
  @Count(CountTokensBody, { messages: [{ role: 'user', content: 'Hello.' }] }, CountTokensAnswer)
  @ApiOperation({
    summary: "The input tokens of a call of /v1/messages, in the shape of Anthropic's count.",
    description: ABOUT,
    operationId: 'countMessageTokens',
  })
  async messages(
    @Body() body: CountTokensBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CountTokensAnswer> {
    const conversation = readMessages(body, request.headers['anthropic-beta']);
    return { input_tokens: await this.counter.count(conversation, request, reply) };
  }

  @Post('responses/input_tokens')
  @Count(InputTokensBody, { input: 'Hello.' }, InputTokensAnswer)
  @ApiOperation({
    summary: "The input tokens of a call of /v1/responses, in the shape of OpenAI's count.",
    description: ABOUT,
    operationId: 'countResponseTokens',
  })
  async responses(
    @Body() body: InputTokensBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<InputTokensAnswer> {
    const conversation = readResponses(body);
    const input_tokens = await this.counter.count(conversation, request, reply);
    return { object: 'response.input_tokens', input_tokens };
  }

  @Post('models/:model/countTokens')
  @Count(
    ContentTokensBody,
    { contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }] },
    ContentTokensAnswer,
  )
  @ApiOperation({
    summary: "The input tokens of a call of generateContent, in the shape of Google's count.",
    description: `${ABOUT} Clients call it as \`/v1beta/models/{model}:countTokens\`.`,
    operationId: 'countContentTokens',
  })
  async content(
    @Param('model') model: string,
    @Body() body: ContentTokensBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ContentTokensAnswer> {
    const conversation = readContent(body.generateContentRequest ?? body, model);
    return { totalTokens: await this.counter.count(conversation, request, reply) };
  }
}
