import { Controller, Post, UseFilters } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import type { ImageCopies } from '#models/conversation/sent-body';
import type { ConversationStream } from '../completions/conversation-stream';
import { CompletionsPreparer } from '../completions/completions.preparer';
import { CompletionsService } from '../completions/completions.service';
import { ResponsesPricer, conversationOf } from '../compatible/conversation.pricer';
import { ABOUT_KEY, BY_USE } from '../compatible/compatible-route';
import { ResponseStream } from './response-stream';
import { ResponsesAnswer, ResponsesBody } from './responses.dto';
import { toResponse, toolNamesOf } from './responses.wire';
import { OpenaiErrorFilter } from '../compatible/openai-error.filter';

/** Completions in the shape of OpenAI's Responses API, for its stock clients. */
@ApiTags('generation')
@Controller('v1/responses')
@UseFilters(OpenaiErrorFilter)
export class ResponsesController {
  constructor(private readonly completions: CompletionsService) {}

  @Post()
  @Paid(
    {
      ...BY_USE,
      body: ResponsesBody,
      pricer: ResponsesPricer,
      prepare: CompletionsPreparer,
      streams: ({ stream }: ResponsesBody) => stream === true,
      example: {
        body: { input: 'Say hello.', max_output_tokens: 64 },
        answer: {
          id: 'ch_2ZkYxQ0Vd7Wc1mJ5sT8rBg',
          object: 'response',
          created_at: 1_796_000_000,
          status: 'completed',
          incomplete_details: null,
          error: null,
          model: 'lumen-flash',
          output: [
            {
              type: 'message',
              id: 'msg_ch_2ZkYxQ0Vd7Wc1mJ5sT8rBg',
              status: 'completed',
              role: 'assistant',
              content: [{ type: 'output_text', text: 'Hello.', annotations: [] }],
            },
          ],
          store: false,
          parallel_tool_calls: true,
          tools: [],
          tool_choice: 'auto',
          metadata: {},
          instructions: null,
          temperature: null,
          top_p: null,
          usage: {
            input_tokens: 3,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: 2,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 5,
          },
        },
      },
    },
    { answers: [ResponsesAnswer], aboutIdempotencyKey: ABOUT_KEY },
  )
  @ApiOperation({
    summary: "Chat in the shape of OpenAI's Responses, streamed or whole, charged by tokens.",
    description:
      'For stock clients of that API: the same models, prices and limits as /v1/chat/completions. Nothing is stored. With ' +
      '`stream: true` the answer is the events of a response; the last one carries the charge.',
    operationId: 'responses',
  })
  async create(
    @Call() call: PaidCall<ResponsesBody, ImageCopies>,
  ): Promise<ResponsesAnswer | ConversationStream> {
    const { body } = call;
    const tools = toolNamesOf(conversationOf(call).conversation);
    if (body.stream !== true) return toResponse(await this.completions.complete(call), body, tools);
    return this.completions.stream(
      call,
      (sse, conversation, limits) => new ResponseStream(sse, conversation, limits, body, tools),
    );
  }
}
