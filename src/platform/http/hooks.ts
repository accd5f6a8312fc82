import { Injectable } from '@nestjs/common';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RequestPayload,
  preParsingHookHandler,
} from 'fastify';

/** What every request goes through before its route is asked, in this order. */
const ON_REQUEST = [
  'headers', // Refusals carry them, too.
  'address limit', // Before any work, whatever the call is.
  'plain http', // Preflights, and what no route should see.
  'region',
  'route limit',
] as const;

/** What every body goes through before it is parsed. */
const PRE_PARSING = [
  'content type',
  'media', // Large media leave the body.
] as const;

export type OnRequestName = (typeof ON_REQUEST)[number];
export type PreParsingName = (typeof PRE_PARSING)[number];

export type OnRequest = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;
export type PreParsing = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: RequestPayload,
  done: (error?: Error | null, payload?: RequestPayload) => void,
) => void;

/**
 * The one table of what stands before the routes. A part says which step it takes, never when: the order is here, and
 * does not follow from which module came up first.
 */
@Injectable()
export class HttpHooks {
  private readonly onRequest = new Map<OnRequestName, OnRequest>();
  private readonly preParsing = new Map<PreParsingName, PreParsing>();

  before(step: OnRequestName, hook: OnRequest): void {
    this.onRequest.set(step, hook);
  }

  beforeParsing(step: PreParsingName, hook: PreParsing): void {
    this.preParsing.set(step, hook);
  }

  /** Hooks that come later find their step. */
  install(instance: FastifyInstance): void {
    for (const step of ON_REQUEST) {
      instance.addHook('onRequest', (request, reply, done) => {
        const hook = this.onRequest.get(step);
        if (hook === undefined) done();
        else hook(request, reply, done);
      });
    }
    for (const step of PRE_PARSING) {
      const enter: preParsingHookHandler = (request, reply, payload, done) => {
        const hook = this.preParsing.get(step);
        if (hook === undefined) done(null, payload);
        else hook(request, reply, payload, done);
      };
      instance.addHook('preParsing', enter);
    }
  }
}
