import { Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { TEXT_REPLAY_SECONDS } from '#money/billing/calls/replay-limits';
import { declareOperation } from '#money/billing/charges/operation';
import { ChatScreening } from './chat-screening';
import { ChatAnswer, ChatBody } from './chat.dto';
import { ChatPricer } from './chat.pricer';
import { CHAT_SECONDS_MAX, ChatService } from './chat.service';
import { InDocument } from '#platform/openapi/audience';

/** Room for 48,000 characters of up to four bytes each, with JSON escapes, and for the other fields of the call. */
const CHAT_BYTES_MAX = 400 * 1024;

const CHAT = declareOperation({ name: 'chat', sold: 'One chat completion.' });

@ApiTags('generation')
@InDocument('crawlers')
@Controller('v1/agent/chat')
export class ChatController {
  constructor(private readonly chat: ChatService) {}

  @Post()
  @Paid(
    {
      operation: CHAT,
      body: ChatBody,
      pricer: ChatPricer,
      prepare: ChatScreening,
      limit: 'chat',
      scope: 'chat',
      runSecondsMax: CHAT_SECONDS_MAX,
      replaySeconds: TEXT_REPLAY_SECONDS,
      bodyBytesMax: CHAT_BYTES_MAX,
      condenses: true,
      generates: true,
      tool: {
        name: 'chat',
        title: 'Chat completion',
        about:
          'Answers a conversation with a text model. You pay for the input and for max_tokens, not for what is written, so ' +
          'set max_tokens to what you need.',
        answer: ChatAnswer,
      },
      example: {
        body: { messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 64 },
        answer: {
          choices: [{ message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 3, completion_tokens: 2 },
        },
      },
    },
    {
      price: 'chat',
      answers: [ChatAnswer],
    },
  )
  @ApiOperation({ summary: 'A chat completion, charged for its output cap.', operationId: 'chat' })
  complete(@Call() call: PaidCall<ChatBody>): Promise<ChatAnswer> {
    return this.chat.complete(call);
  }
}
