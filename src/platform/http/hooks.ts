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

/** What may answer a call instead of its route, once its body is read. */
const PRE_HANDLER = ['paid call'] as const;

/** What every answer goes through before it is sent. */
const ON_SEND = ['drain'] as const;

/** What is done once an answer has been sent, or nobody is there for it any more. */
const ON_RESPONSE = ['body room', 'log', 'metrics'] as const;

type OnResponseName = (typeof ON_RESPONSE)[number];

export type OnRequestName = (typeof ON_REQUEST)[number];
type PreHandlerName = (typeof PRE_HANDLER)[number];
export type PreParsingName = (typeof PRE_PARSING)[number];

export type OnRequest = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;
export type PreParsing = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: RequestPayload,
  done: (error?: Error | null, payload?: RequestPayload) => void,
) => void;

/** A look at an answer, which changes neither its course nor its body. */
type OnAnswer = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * The one table of what stands around the routes. A part says which step it takes, never when: the order is here, and
 * does not follow from which module came up first.
 */
@Injectable()
export class HttpHooks {
  private readonly onRequest = new Map<OnRequestName, OnRequest>();
  private readonly preParsing = new Map<PreParsingName, PreParsing>();
  private readonly preHandler = new Map<PreHandlerName, OnRequest>();
  private readonly onSend = new Map<(typeof ON_SEND)[number], OnAnswer>();
  private readonly onResponse = new Map<OnResponseName, OnAnswer>();

  before(step: OnRequestName, hook: OnRequest): void {
    this.onRequest.set(step, hook);
  }

  beforeParsing(step: PreParsingName, hook: PreParsing): void {
    this.preParsing.set(step, hook);
  }

  beforeRoute(step: PreHandlerName, hook: OnRequest): void {
    this.preHandler.set(step, hook);
  }

  beforeSending(step: (typeof ON_SEND)[number], hook: OnAnswer): void {
    this.onSend.set(step, hook);
  }

  after(step: OnResponseName, hook: OnAnswer): void {
    this.onResponse.set(step, hook);
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
    for (const step of PRE_HANDLER) {
      instance.addHook('preHandler', (request, reply, done) => {
        const hook = this.preHandler.get(step);
        if (hook === undefined) done();
        else hook(request, reply, done);
      });
    }
    for (const step of ON_SEND) {
      instance.addHook('onSend', (request, reply, _payload, done) => {
        this.onSend.get(step)?.(request, reply);
        done();
      });
    }
    for (const step of ON_RESPONSE) {
      instance.addHook('onResponse', (request, reply, done) => {
        this.onResponse.get(step)?.(request, reply);
        done();
      });
    }
  }
}
