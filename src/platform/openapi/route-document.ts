import { HttpCode, type Type, applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiResponse, type ApiResponseNoStatusOptions } from '@nestjs/swagger';

import { ApiIdempotencyKey } from '../http/routes/idempotency-key';
import { ApiBodyLike } from './docs';
import { ApiFailures } from './failures';

export interface RouteDocument {
  readonly summary: string;
  readonly description?: string;
  readonly operationId: string;
  /** 200 by default, also for POST. */
  readonly status?: number;
  /** The class of the body, if the document shows an example of it. */
  readonly body?: Type;
  readonly example?: object;
  /** The description of the idempotency key, if the route accepts one. */
  readonly idempotencyKey?: string;
  /** The class of the answer, `csv` for a file of a spreadsheet, or the description of another answer. */
  readonly answer: Type | 'csv' | ApiResponseNoStatusOptions;
  readonly answerHeaders?: object;
  readonly failures?: readonly number[];
}

/** Documents a route, and sets the status of its answer. */
export const Documented = (document: RouteDocument): MethodDecorator => {
  const { summary, description, operationId, status = 200, body, example = {}, idempotencyKey } = document;
  return applyDecorators(
    ApiOperation({ summary, description, operationId }),
    HttpCode(status),
    ...(body === undefined ? [] : [ApiBodyLike(body, example)]),
    ...(idempotencyKey === undefined ? [] : [ApiIdempotencyKey(idempotencyKey)]),
    ApiResponse({ status, ...headersOf(document), ...answerOf(document) }),
    ApiFailures(...(document.failures ?? [])),
  );
};

const CSV = { content: { 'text/csv': { schema: { type: 'string' } } } } as const;

const answerOf = ({ answer }: RouteDocument): ApiResponseNoStatusOptions => {
  if (answer === 'csv') return CSV;
  return typeof answer === 'function' ? { type: answer } : answer;
};

/** An answer keeps the order of its parts in the documents, so the headers are absent or come first. */
const headersOf = (document: RouteDocument): { readonly headers?: never } =>
  'answerHeaders' in document ? { headers: document.answerHeaders as never } : {};
