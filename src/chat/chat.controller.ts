import { Controller, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { CHARGE_HEADERS, Paid } from '../billing/calls/paid';
import { Call, type PaidCall } from '../billing/calls/paid-call';
import { ChatScreening } from './chat-screening';
import { ChatAnswer, ChatBody } from './chat.dto';
import { ChatPricer } from './chat.pricer';
import { CHAT_SECONDS_MAX, ChatService } from './chat.service';

/** 48000 characters of up to four bytes each, escaped, and the rest of the call. */
const CHAT_BYTES_MAX = 400 * 1024;
const REPLAY_SECONDS = 600;

@ApiTags('generation')
@Controller('v1/agent/chat')
export class ChatController {
  constructor(private readonly chat: ChatService) {}

  @Post()
  @Paid(
    {
      operation: 'chat',
      body: ChatBody,
      pricer: ChatPricer,
      prepare: ChatScreening,
      limit: 'chat',
      runSecondsMax: CHAT_SECONDS_MAX,
      replaySeconds: REPLAY_SECONDS,
    },
    { min: '0.002000', max: '0.841144', bodyBytesMax: CHAT_BYTES_MAX, generates: true },
  )
  @ApiOperation({ summary: 'A chat completion, charged for its output cap.', operationId: 'chat' })
  @ApiOkResponse({ type: ChatAnswer, headers: CHARGE_HEADERS })
  complete(@Call() call: PaidCall<ChatBody>): Promise<ChatAnswer> {
    return this.chat.complete(call);
  }
}
