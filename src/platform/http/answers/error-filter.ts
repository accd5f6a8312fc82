import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Inject,
  Logger,
  NotFoundException,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { AppError } from '#kernel/app-error';
import {
  INTERNAL,
  INVALID_REQUEST,
  NOT_FOUND,
  PAYLOAD_TOO_LARGE,
  UNSUPPORTED_MEDIA,
} from '#kernel/common-codes';
import { RATE_LIMITED } from '../limits/limits.errors';
import { ANSWERS, type ErrorStatus } from './error-statuses';
import { type ErrorCode, type ErrorKind, docsOf } from '#kernel/error-code';
import { jsonText } from '#kernel/json-text';
import { withoutAbsent } from '#kernel/present';
import { RequestSlot } from '../request-slot';
import { KnownRoutes } from '../routes/known-routes';
import {
  CONFLICT,
  FORBIDDEN,
  GONE,
  METHOD_NOT_ALLOWED,
  MethodNotAllowed,
  REQUEST_FAILED,
  UNAUTHORIZED,
  UNAVAILABLE,
  UNPROCESSABLE,
} from './answers.errors';
import { SETTINGS } from '../../config/settings';
import type { HttpSettings } from '../http.settings';

/** Translates the framework's own errors into ours. */
const FRAMEWORK: Readonly<Record<number, { code: ErrorCode; message: string }>> = {
  400: { code: INVALID_REQUEST, message: 'The request is not valid HTTP.' },
  404: { code: NOT_FOUND, message: 'There is nothing at this address.' },
  405: { code: METHOD_NOT_ALLOWED, message: 'This address has no such method.' },
  408: { code: INVALID_REQUEST, message: 'The request took too long to arrive.' },
  413: { code: PAYLOAD_TOO_LARGE, message: 'The body is larger than this route takes.' },
  414: { code: INVALID_REQUEST, message: 'The address is too long.' },
  415: { code: UNSUPPORTED_MEDIA, message: 'Send the body as JSON, with content-type: application/json.' },
  431: { code: INVALID_REQUEST, message: 'The headers are larger than 64 KB.' },
};

/** Translates exceptions of Nest that a handler, a guard or a pipe throws into our errors. */
const EXCEPTIONS: Readonly<Record<number, Pick<ErrorCode, 'code' | 'kinds'>>> = {
  400: INVALID_REQUEST,
  401: UNAUTHORIZED,
  402: { code: 'PAYMENT_REQUIRED', kinds: ['payment_required'] }, // A feature declares this code.
  403: FORBIDDEN,
  404: NOT_FOUND,
  405: METHOD_NOT_ALLOWED,
  409: CONFLICT,
  410: GONE,
  413: PAYLOAD_TOO_LARGE,
  415: UNSUPPORTED_MEDIA,
  422: UNPROCESSABLE,
  429: RATE_LIMITED,
  503: UNAVAILABLE,
};

interface ExceptionResponse {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly param?: unknown;
}

/** Pipes return a message for each field. */
const textOf = (message: unknown): string | undefined =>
  Array.isArray(message) ? message.map(String).join(' ') : typeof message === 'string' ? message : undefined;

const CODE = /^[A-Z][A-Z0-9_]{0,59}$/;

/**
 * Puts an exception of Nest into our envelope, with its status and message, and with its code and param if it has them.
 * The message of a 500 goes only to the log.
 */
const describeException = (exception: HttpException, failed: FailedRequest): Envelope => {
  const status = exception.getStatus();
  if (status === 500) return describeBug(failed);
  const response = exception.getResponse();
  const { message, code, param }: ExceptionResponse =
    typeof response === 'string' ? { message: response } : response;
  const known = EXCEPTIONS[status];
  const problem = {
    message: textOf(message) ?? exception.message,
    code: typeof code === 'string' && CODE.test(code) ? code : (known ?? REQUEST_FAILED).code,
    param: typeof param === 'string' ? param : undefined,
  };
  if (known !== undefined) return envelope(known.kinds[0], problem, failed);
  return envelopeOf(
    status >= 500 ? { ...ANSWERS.internal, status } : { ...ANSWERS.invalid_request, status },
    problem,
    failed,
  );
};

/** The failed request, with the address of the service. */
export interface FailedRequest {
  readonly requestId: string;
  readonly publicUrl: string;
}

export interface Envelope {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Problem {
  readonly message: string;
  /** A declared code, or the code of a team's own exception. */
  readonly code: string;
  readonly param?: string;
}

const envelope = (
  kind: ErrorKind,
  problem: Problem,
  failed: FailedRequest,
  extras: AppError['extras'] = {},
): Envelope => envelopeOf(ANSWERS[kind], problem, failed, extras);

const envelopeOf = (
  { status, type, retryable }: ErrorStatus,
  problem: Problem,
  { requestId, publicUrl }: FailedRequest,
  extras: AppError['extras'] = {},
): Envelope => {
  return {
    status,
    headers: withoutAbsent({
      'x-should-retry': String(retryable),
      'retry-after': extras.retryAfterSeconds?.toString(),
      ...extras.headers,
    }),
    body: {
      error: {
        message: problem.message,
        type,
        code: problem.code,
        param: problem.param ?? null,
        requestId,
        retryable,
      },
      ...extras.links,
      docs: docsOf(publicUrl, problem.code),
      ...extras.body,
    },
  };
};

const statusOf = (error: unknown): number | undefined => {
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : undefined;
};

/**
 * Puts any failure into our envelope. An error that is neither an `AppError` nor an exception of Nest or the framework
 * is a bug. It becomes a 500 without details.
 */
export const describeError = (error: unknown, failed: FailedRequest): Envelope => {
  if (error instanceof AppError) {
    const { code, message, extras, fix } = error;
    const body = fix === undefined ? extras.body : { fix, ...extras.body };
    return envelope(error.kind, { message, code, param: extras.param }, failed, { ...extras, body });
  }
  if (error instanceof HttpException) return describeException(error, failed);
  const known = FRAMEWORK[statusOf(error) ?? 500];
  if (known === undefined) return describeBug(failed);
  const { code, message } = known;
  return envelope(code.kinds[0], { code: code.code, message }, failed);
};

const describeBug = (failed: FailedRequest): Envelope => {
  const message = `Something went wrong on our side. Send us the request id ${failed.requestId}.`;
  return envelope('internal', { message, code: INTERNAL.code }, failed);
};

/** Translates a refusal of the HTTP server itself into our error; any other error stays unchanged. */
export const asRefusal = (error: unknown): unknown => {
  const isOurs = error instanceof AppError || error instanceof HttpException;
  const known = isOurs ? undefined : FRAMEWORK[statusOf(error) ?? 500];
  return known === undefined ? error : new ServerRefusal(known);
};

class ServerRefusal extends AppError {
  constructor({ code, message }: (typeof FRAMEWORK)[number]) {
    super(code, message);
  }
}

/** A failed answer, as its caller sees it. */
export interface Failure {
  readonly status: number;
  readonly code: string;
}

const failures = new RequestSlot<Failure>();

/** Records the failure of a request, for code that runs after the answer. */
export const rememberFailure = (request: FastifyRequest, { status, body }: Envelope): void => {
  const { code } = body['error'] as { readonly code: string };
  failures.set(request, { status, code });
};

export const failureOf = (request: FastifyRequest): Failure | undefined => failures.get(request);

/** Sends the error to the caller. */
export const answerError = (reply: FastifyReply, error: unknown, publicUrl: string): void => {
  const { status, headers, body } = describeError(error, { requestId: reply.request.id, publicUrl });
  void reply.status(status).headers(headers).send(body);
};

export const statusOfError = (error: unknown): number =>
  describeError(error, { requestId: '', publicUrl: '' }).status;

/**
 * Answers every failure in our envelope, and logs our own failures. Filters of a team's modules run before it, because
 * it is the last filter.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(
    private readonly routes: KnownRoutes,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    this.sendError(error, host);
  }

  /** Answers with the error as JSON. */
  protected sendError(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const envelope = describeError(this.withMethods(error, request), {
      requestId: request.id,
      publicUrl: this.settings.http.publicUrl,
    });
    rememberFailure(request, envelope);
    const { status, headers, body } = envelope;
    if (status === 500) {
      this.logger.error({ err: error, requestId: request.id }, 'A request failed with an unexpected error.');
    }
    if (error instanceof AppError && error.extras.cause !== undefined && status >= 500) {
      this.logger.warn(
        { err: error.extras.cause, code: error.code, requestId: request.id },
        'A part failed.',
      );
    }
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy(); // The answer has begun, and an incomplete answer must not look complete.
      return;
    }
    // The route may have named the type of its text, and how long anybody may keep it.
    void reply
      .status(status)
      .type('application/json; charset=utf-8')
      .serializer((error: object) => jsonText(error))
      .headers({ 'cache-control': 'no-store', ...headers })
      .send(this.bodyOf(body, request));
  }

  /** A subclass can add fields that the clients of some routes expect beside our envelope. */
  protected bodyOf(envelope: object, _request: FastifyRequest): object {
    return envelope;
  }

  /** The router reports only "not found". If the address exists with another method, the status must be 405. */
  private withMethods(error: unknown, { is404, url }: FastifyRequest): unknown {
    if (!is404 || !(error instanceof NotFoundException)) return error;
    const methods = this.routes.methodsAt(url);
    return methods.length === 0 ? { statusCode: 404 } : new MethodNotAllowed(methods);
  }
}
