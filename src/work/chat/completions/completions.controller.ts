import { Controller, Post, UseFilters } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import type { ImageCopies } from '#models/conversation/sent-body';
import { CompletionsPricer } from '../compatible/conversation.pricer';
import { ABOUT_KEY, BY_USE } from '../compatible/compatible-route';
import { CompletionAnswer, CompletionBody } from './completions.dto';
import { CompletionStream, usageOf } from './completion-stream';
import { CompletionsPreparer } from './completions.preparer';
import { CompletionsService } from './completions.service';
import type { ConversationStream } from './conversation-stream';
import { InDocument } from '#platform/openapi/audience';
import { OpenaiErrorFilter } from '../compatible/openai-error.filter';

/** Chat for the studio, and for stock clients whose base address is `/v1`. The caller pays only for used tokens. */
@ApiTags('generation')
@InDocument('crawlers')
@Controller('v1/chat/completions')
@UseFilters(OpenaiErrorFilter)
export class CompletionsController {
  constructor(private readonly completions: CompletionsService) {}

  @Post()
  @Paid(
    {
      ...BY_USE,
      body: CompletionBody,
      pricer: CompletionsPricer,
      prepare: CompletionsPreparer,
      streams: ({ stream }: CompletionBody) => stream === true,
      example: {
        body: { messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 64 },
        answer: {
          id: 'ch_2ZkYxQ0Vd7Wc1mJ5sT8rBg',
          object: 'chat.completion',
          created: 1_796_000_000,
          model: 'lumen-flash',
          choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
        },
      },
    },
    { answers: [CompletionAnswer], aboutIdempotencyKey: ABOUT_KEY },
  )
  @ApiOperation({
    summary: 'Chat in the OpenAI shape, streamed or whole, charged by tokens.',
    description:
      'With `stream: true` the answer is text/event-stream: chunks, the usage when asked for, and [DONE]. ' +
      'The most that the call can cost is held first; the real cost is charged at the end.',
    operationId: 'chatCompletions',
  })
  async complete(
    @Call() call: PaidCall<CompletionBody, ImageCopies>,
  ): Promise<CompletionAnswer | ConversationStream> {
    const { stream, stream_options: options } = call.body;
    if (stream === true) {
      const reportsUsage = options?.include_usage === true;
      return this.completions.stream(
        call,
        (sse, conversation, limits) => new CompletionStream(sse, conversation, limits, reportsUsage),
      );
    }
    const { id, modelId, message, finish, meter } = await this.completions.complete(call);
    return {
      id,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1_000),
      model: modelId,
      choices: [{ index: 0, message, finish_reason: finish }],
      usage: usageOf(meter),
    };
  }
}
