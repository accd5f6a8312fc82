import type { FastifyRequest } from 'fastify';

import { AppError, type Remedy } from '#kernel/app-error';

/**
 * A fix repeats the body, so large bodies get no fix. They contain media, which the service may already have dropped.
 */
const BODY_BYTES_MAX = 16 * 1024;

type Container = Record<string, unknown>;

/** A copy with one field changed or left out; undefined if there is no such field. Items of lists are not left out. */
const applied = (body: unknown, { param, value }: Remedy): unknown => {
  const path = param.split(/[.[\]]+/).filter((part) => part !== '');
  const last = path.pop();
  if (last === undefined && value !== undefined) return value;
  const copy: unknown = structuredClone(body);
  const holder = path.reduce<unknown>((part, name) => (part as Container | undefined)?.[name], copy);
  if (last === undefined || typeof holder !== 'object' || holder === null) return undefined;
  if (value === undefined && Array.isArray(holder)) return undefined;
  if (value === undefined) delete (holder as Container)[last];
  else (holder as Container)[last] = value;
  return copy;
};

const passes = async (check: (body: unknown) => unknown, body: unknown): Promise<boolean> => {
  try {
    await check(body);
    return true;
  } catch {
    return false;
  }
};

/**
 * Checks the body of a request. If the check fails, this function tries the changes that the error proposes. It adds
 * the first valid changed body to the error.
 */
export const checkWithFix = <T>(
  request: FastifyRequest,
  check: (body: unknown) => T | Promise<T>,
): Promise<T> => {
  const body: unknown = request.body ?? {};
  return withFix(request, () => check(body), check);
};

/** The same for work that itself checks the body. `check` checks a changed body without that work. */
export const withFix = async <T>(
  request: FastifyRequest,
  work: () => T | Promise<T>,
  check: (body: unknown) => unknown,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw await taught(request, check, error);
  }
};

const taught = async (
  { headers, body = {} }: FastifyRequest,
  check: (body: unknown) => unknown,
  error: unknown,
): Promise<unknown> => {
  const length = Number(headers['content-length'] ?? Infinity);
  if (error instanceof AppError && length <= BODY_BYTES_MAX) {
    for (const remedy of error.extras.remedies ?? []) {
      const changed = applied(body, remedy);
      if (changed !== undefined && (await passes(check, changed))) {
        error.fix = changed;
        break;
      }
    }
  }
  return error;
};
