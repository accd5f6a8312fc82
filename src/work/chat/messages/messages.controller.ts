import { Controller, Post, UseFilters } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { wantsThinking } from '#models/conversation/messages-body';
import type { ImageCopies } from '#models/conversation/sent-body';
import type { ConversationStream } from '../completions/conversation-stream';
import { CompletionsPreparer } from '../completions/completions.preparer';
import { CompletionsService } from '../completions/completions.service';
import { MessagesPricer } from '../compatible/conversation.pricer';
import { ABOUT_KEY, BY_USE } from '../compatible/compatible-route';
import { MessageStream } from './message-stream';
import { MessagesErrorFilter } from './messages-error.filter';
import { MessagesAnswer, MessagesBody } from './messages.dto';
import { toMessage } from './messages.wire';

/** Completions in the shape of Anthropic's Messages API, for its stock clients. */
@ApiTags('generation')
@Controller('v1/messages')
@UseFilters(MessagesErrorFilter)
export class MessagesController {
  constructor(private readonly completions: CompletionsService) {}

  @Post()
  @Paid(
    {
      ...BY_USE,
      body: MessagesBody,
      pricer: MessagesPricer,
      prepare: CompletionsPreparer,
      streams: ({ stream }: MessagesBody) => stream === true,
      example: {
        body: { messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 64 },
        answer: {
          id: 'ch_2ZkYxQ0Vd7Wc1mJ5sT8rBg',
          type: 'message',
          role: 'assistant',
          model: 'lumen-flash',
          content: [{ type: 'text', text: 'Hello.' }],
          stop_reason: 'end_turn',
          stop_sequence: null,
          usage: {
            input_tokens: 3,
            output_tokens: 2,
            cache_read_input_tokens: 0,
            cache_creation_input_tokens: 0,
          },
        },
      },
    },
    { answers: [MessagesAnswer], aboutIdempotencyKey: ABOUT_KEY },
  )
  @ApiOperation({
    summary: "Chat in the shape of Anthropic's Messages, streamed or whole, charged by tokens.",
    description:
      'For stock clients of that API, whose base address is this service: the same models, prices and limits as ' +
      '/v1/chat/completions. With `stream: true` the answer is the events of a message; message_delta carries the charge.',
    operationId: 'messages',
  })
  async create(
    @Call() call: PaidCall<MessagesBody, ImageCopies>,
  ): Promise<MessagesAnswer | ConversationStream> {
    const showsThoughts = wantsThinking(call.body.thinking);
    if (call.body.stream !== true) return toMessage(await this.completions.complete(call), showsThoughts);
    return this.completions.stream(
      call,
      (sse, conversation, limits) => new MessageStream(sse, conversation, limits, showsThoughts),
    );
  }
}
