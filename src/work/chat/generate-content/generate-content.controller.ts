import { Controller, Post, UseFilters } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { wantsThoughts } from '#models/conversation/gemini-body';
import type { ImageCopies } from '#models/conversation/sent-body';
import { GenerateContentPricer } from '../compatible/conversation.pricer';
import { ABOUT_KEY, BY_USE } from '../compatible/compatible-route';
import type { ConversationStream } from '../completions/conversation-stream';
import { CompletionsPreparer } from '../completions/completions.preparer';
import { CompletionsService } from '../completions/completions.service';
import { ContentStream } from './content-stream';
import { GenerateContentAnswer, GenerateContentBody } from './generate-content.dto';
import { callInPath } from './model-in-path';
import { toContent } from './generate-content.wire';
import { GenerateContentErrorFilter } from './generate-content-error.filter';

/** Completions in the shape of Google's generateContent, for its stock clients. */
@ApiTags('generation')
@Controller('v1/models')
@UseFilters(GenerateContentErrorFilter)
export class GenerateContentController {
  constructor(private readonly completions: CompletionsService) {}

  @Post(':call')
  @Paid(
    {
      ...BY_USE,
      body: GenerateContentBody,
      pricer: GenerateContentPricer,
      prepare: CompletionsPreparer,
      streams: (_body: GenerateContentBody, request) => callInPath(request)?.isStreamed === true,
      example: {
        body: { contents: [{ role: 'user', parts: [{ text: 'Say hello.' }] }] },
        answer: {
          candidates: [
            { content: { role: 'model', parts: [{ text: 'Hello.' }] }, finishReason: 'STOP', index: 0 },
          ],
          usageMetadata: {
            promptTokenCount: 3,
            candidatesTokenCount: 2,
            cachedContentTokenCount: 0,
            totalTokenCount: 5,
          },
          modelVersion: 'lumen-flash',
          responseId: 'ch_2ZkYxQ0Vd7Wc1mJ5sT8rBg',
        },
      },
    },
    { answers: [GenerateContentAnswer], aboutIdempotencyKey: ABOUT_KEY },
  )
  @ApiParam({
    name: 'call',
    description:
      'The model and the method: `MODEL:generateContent`, or `MODEL:streamGenerateContent` for events.',
    example: 'lumen-flash:generateContent',
    schema: { type: 'string', maxLength: 130 },
  })
  @ApiOperation({
    summary: "Chat in the shape of Google's generateContent, streamed or whole, charged by tokens.",
    description:
      'For stock clients of that API, whose base address is this service: the same models, prices and limits as ' +
      '/v1/chat/completions. A key may also come as `x-goog-api-key`. The last event of a stream carries the charge.',
    operationId: 'generateContent',
  })
  async create(
    @Call() call: PaidCall<GenerateContentBody, ImageCopies>,
  ): Promise<GenerateContentAnswer | ConversationStream> {
    const showsThoughts = wantsThoughts(call.body.generationConfig);
    if (callInPath(call.request)?.isStreamed !== true) {
      return toContent(await this.completions.complete(call), showsThoughts);
    }
    return this.completions.stream(
      call,
      (sse, conversation, limits) => new ContentStream(sse, conversation, limits, showsThoughts),
    );
  }
}
