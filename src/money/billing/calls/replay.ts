import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

import { deadlineIn } from '#kernel/deadline';
import { SseReply } from '#platform/http/answers/sse-reply';
import { Drain } from '#platform/http/drain';
import { uncountCall } from '#platform/http/limits/address-limits';
import { ArrivedAnswers } from './arrived-answers';
import type { Work } from './charged-work';
import type { EarlierAnswer } from './earlier-calls';
import type { PaidCall } from './paid-call';
import { SENDING_AGAIN_SECONDS_MAX } from './replay-limits';
import { type KeptStream, isKeptStream, sendEvent } from './streamed-answer';

/** Sends the stored answer of an equal call. A route without a stored answer reads it again from the charge. */
@Injectable()
export class Replay {
  constructor(
    private readonly arrivedAnswers: ArrivedAnswers,
    private readonly drain: Drain,
  ) {}

  async send(call: PaidCall, { charge, status, body, headers }: EarlierAnswer, work: Work): Promise<unknown> {
    const { reply } = call;
    void reply.headers(headers);
    uncountCall(call.request, reply);
    call.chargeId = charge.id;
    call.charge = charge;
    if (body === undefined) return work();
    this.arrivedAnswers.watch(reply, charge.id);
    if (call.route.answer === 'by-use' && isKeptStream(body)) return this.streamAgain(reply, body);
    void reply.status(status);
    return body;
  }

  private async streamAgain(reply: FastifyReply, { events, named = false }: KeptStream): Promise<undefined> {
    const sse = new SseReply(reply, deadlineIn(SENDING_AGAIN_SECONDS_MAX), this.drain.lastCall);
    sse.open();
    for (const event of events) {
      sendEvent(sse, event, named);
      await sse.room();
    }
    sse.end();
    return undefined;
  }
}
