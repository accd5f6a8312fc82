import { Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';

import { Paid } from '../../billing/calls/paid';
import { Call } from '../../billing/calls/paid-call';
import { ApiKeyRail } from '../../billing/rails/api-key/api-key.rail';
import { OPERATION, declareOperation } from '../../billing/charges/operation';
import { CompletionAnswer, CompletionBody } from './completions.dto';
import type { CompletionStream } from './completion-stream';
import { CompletionsPreparer } from './completions.preparer';
import { CompletionsPricer } from './completions.pricer';
import { CompletionsService } from './completions.service';
import type { CompletionCall } from './conversations';

/** Long conversations, and images in them. */
const STUDIO_BYTES_MAX = 12 * 1024 * 1024;

const COMPLETION = declareOperation({ name: OPERATION.byUse, sold: 'One chat completion.' });

/** Chat for the studio and for stock clients that are pointed at `/v1`: charged by the tokens really used. */
@ApiTags('generation')
@Controller('v1/chat/completions')
export class CompletionsController {
  constructor(private readonly completions: CompletionsService) {}

  @Post()
  @Paid(
    {
      operation: COMPLETION,
      body: CompletionBody,
      pricer: CompletionsPricer,
      prepare: CompletionsPreparer,
      rails: [ApiKeyRail.facts.name],
      limit: 'chat',
      scope: 'studio',
      runSecondsMax: 300,
      replaySeconds: 600,
      answer: 'by-use',
      streams: ({ stream }) => stream === true,
      bodyBytesMax: STUDIO_BYTES_MAX,
      uploads: {},
      keptBytesMax: STUDIO_BYTES_MAX,
      generates: true,
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
    {
      answers: [CompletionAnswer],
      aboutIdempotencyKey:
        'Your idempotency key: the same key gets the first answer again, streamed or whole, and is charged once.',
    },
  )
  @ApiOperation({
    summary: 'Chat in the OpenAI shape, streamed or whole, charged by tokens.',
    description:
      'With `stream: true` the answer is text/event-stream: chunks, the usage when asked for, and [DONE]. ' +
      'The most that the call can cost is held first; the real cost is charged at the end.',
    operationId: 'chatCompletions',
  })
  complete(@Call() call: CompletionCall): Promise<CompletionAnswer | CompletionStream> {
    return call.body.stream === true ? this.completions.stream(call) : this.completions.complete(call);
  }
}
