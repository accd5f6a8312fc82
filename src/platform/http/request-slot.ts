import type { FastifyRequest } from 'fastify';

/**
 * A fact about a request, stored on it under a private symbol. A WeakMap would do the same, but its values survive
 * every minor garbage collection. A fact that refers to its request would keep that alive, with its answer, until a
 * major one: a seventh of a call's allocations.
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
