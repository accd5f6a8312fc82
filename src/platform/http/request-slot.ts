import type { FastifyRequest } from 'fastify';

/**
 * A value about a request, stored on the request under a private symbol. A WeakMap would keep its values through every
 * minor garbage collection. A value that refers to its request would then keep the request and its answer alive until a
 * major collection. That was a seventh of a call's allocations.
 */
export class RequestSlot<Fact> {
  private readonly name = Symbol('fact');

  get(request: FastifyRequest): Fact | undefined {
    return this.facts(request)[this.name];
  }

  set(request: FastifyRequest, fact: Fact | undefined): void {
    this.facts(request)[this.name] = fact;
  }

  private facts(request: object): Record<symbol, Fact | undefined> {
    return request as Record<symbol, Fact | undefined>;
  }
}
