import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';

import type { Soon } from '../../kernel/soon';

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
const PRE_HANDLER = ['paid call', 'completion'] as const;

/** What every answer goes through before it is sent. */
const ON_SEND = ['drain'] as const;

/** What is done once an answer has been sent, or nobody is there for it any more. */
const ON_RESPONSE = ['body room', 'log', 'metrics'] as const;

export type OnRequestName = (typeof ON_REQUEST)[number];
type PreHandlerName = (typeof PRE_HANDLER)[number];
export type PreParsingName = (typeof PRE_PARSING)[number];
type OnResponseName = (typeof ON_RESPONSE)[number];

/** What a step says that has answered a request itself: nobody else is asked. */
export type Answered = 'answered';

/** A look at a request before its route has it. What it throws is the answer. */
export type OnRequest = (request: FastifyRequest, reply: FastifyReply) => Soon<Answered | undefined>;

/** What a body is read from, perhaps another than it came by. What it throws is the answer. */
export type PreParsing = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: RequestPayload,
) => RequestPayload;

/** A look at an answer, which changes neither its course nor its body. */
type OnAnswer = (request: FastifyRequest, reply: FastifyReply) => void;

/** Steps by their names, in the order of the table. */
class Steps<Name extends string, Step> {
  private readonly byName = new Map<Name, Step>();
  private inOrder: readonly Step[] = [];

  constructor(private readonly names: readonly Name[]) {}

  /** Put together here, once for each step, because every request goes through all of them. */
  set(name: Name, step: Step): void {
    this.byName.set(name, step);
    this.inOrder = this.names.flatMap((known) => this.byName.get(known) ?? []);
  }

  get all(): readonly Step[] {
    return this.inOrder;
  }
}

/**
 * The one table of what stands around the routes. A part says which step it takes, never when: the order is here, and
 * does not follow from which module came up first.
 */
@Injectable()
export class HttpHooks {
  private readonly onRequest = new Steps<OnRequestName, OnRequest>(ON_REQUEST);
  private readonly preParsing = new Steps<PreParsingName, PreParsing>(PRE_PARSING);
  private readonly preHandler = new Steps<PreHandlerName, OnRequest>(PRE_HANDLER);
  private readonly onSend = new Steps<(typeof ON_SEND)[number], OnAnswer>(ON_SEND);
  private readonly onResponse = new Steps<OnResponseName, OnAnswer>(ON_RESPONSE);

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

  /** Steps that come later find their place. */
  install(instance: FastifyInstance): void {
    instance.addHook('onRequest', (request, reply, done) =>
      walk(this.onRequest.all, 0, request, reply, done),
    );
    instance.addHook('preParsing', (request, reply, payload, done) => {
      let read = payload;
      try {
        for (const step of this.preParsing.all) read = step(request, reply, read);
      } catch (error) {
        done(error as Error);
        return;
      }
      done(null, read);
    });
    instance.addHook('preHandler', (request, reply, done) =>
      walk(this.preHandler.all, 0, request, reply, done),
    );
    instance.addHook('onSend', (request, reply, _payload, done) => {
      for (const step of this.onSend.all) step(request, reply);
      done();
    });
    instance.addHook('onResponse', (request, reply, done) => {
      for (const step of this.onResponse.all) step(request, reply);
      done();
    });
  }
}

/** Takes the steps from `at` on, waiting only for those that have to be waited for. */
const walk = (
  steps: readonly OnRequest[],
  at: number,
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
): void => {
  let next = at;
  try {
    for (; next < steps.length; next += 1) {
      const said = steps[next]!(request, reply);
      if (said instanceof Promise) {
        said.then((answered) => {
          // eslint-disable-next-line promise/no-callback-in-promise
          if (answered === undefined) walk(steps, next + 1, request, reply, done);
        }, done);
        return;
      }
      if (said !== undefined) return;
    }
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
};
