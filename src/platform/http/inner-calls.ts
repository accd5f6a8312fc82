import { randomUUID } from 'node:crypto';

import type { FastifyRequest } from 'fastify';

/**
 * The header that names the outer call when the service calls its own routes for a caller. Its value is random, so no
 * caller can guess a valid one.
 */
export const INNER_HEADER = 'x-lamppost-inner-call';

const outer = new Map<string, FastifyRequest>();

/** A call that the service makes later for an owner. No client waits for it. */
export interface LateCall {
  /** The discount on the price of the call. */
  readonly discountPercent: number;
}

const late = new Map<string, LateCall>();

/** Runs `work` with a value for that header, by which our own routes recognise the late call. */
export const asLateCall = async <T>(call: LateCall, work: (name: string) => Promise<T>): Promise<T> => {
  const name = randomUUID();
  late.set(name, call);
  try {
    return await work(name);
  } finally {
    late.delete(name);
  }
};

/** The late call of a request; undefined for a request from a client. */
export const lateCallOf = ({ headers }: Pick<FastifyRequest, 'headers'>): LateCall | undefined => {
  const name = headers[INNER_HEADER];
  return typeof name === 'string' ? late.get(name) : undefined;
};

/** Runs `work` with a value for that header, by which our own routes find the outer request. */
export const onBehalfOf = async <T>(
  request: FastifyRequest,
  work: (name: string) => Promise<T>,
): Promise<T> => {
  const name = randomUUID();
  outer.set(name, request);
  try {
    return await work(name);
  } finally {
    outer.delete(name);
  }
};

/** The outer request of an inner request; undefined for requests from outside. */
export const outerOf = ({ headers }: FastifyRequest): FastifyRequest | undefined => {
  const name = headers[INNER_HEADER];
  return typeof name === 'string' ? outer.get(name) : undefined;
};
