import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';

import { errorCodeNamed } from '#kernel/error-code';
import { answersWith } from '#platform/http/answers/error-statuses';

type Json = Readonly<Record<string, unknown>>;

/** An answer that the service sent, with its route. */
export interface SentAnswer {
  readonly method: string;
  /** The route as it was declared, such as `/v1/agent/jobs/:id`. */
  readonly route: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

interface Response {
  readonly headers?: Json;
  readonly content?: Readonly<Record<string, Json>>;
}

interface Operation {
  readonly requestBody?: object;
  readonly responses: Json;
}

/** A header that many routes send, and the declaration that documents it. */
const hintOf = (header: string): string =>
  header.startsWith('ratelimit-') ? '; add 429 to the failures of the route' : '';

/** Headers with information about the call. Other headers belong to browsers and HTTP. */
const CALL_HEADERS =
  /^(x-(charge|balance|payment|request|should)-|ratelimit-|retry-after|payment-|idempotent-|location)/;

/** Answers that any address may have without documenting them. */
const ANYWHERE: ReadonlySet<number> = new Set([408, 431, 500, 503]);
/** The same for an address that accepts no body but got one. */
const STRAY_BODY: ReadonlySet<number> = new Set([413, 415]);

const pointer = (...parts: readonly string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/**
 * A field that the document does not name is a fault like a missing field, because a caller would have to guess its
 * meaning.
 */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, closed(part)]));
  const isObject = parts['type'] === 'object' && typeof parts['properties'] === 'object';
  return isObject && !('additionalProperties' in parts) ? { ...parts, additionalProperties: false } : parts;
};

/** An error must have a status of its code, and a link to the documentation of the code. */
export const problemsWithError = ({ status, body }: SentAnswer): readonly string[] => {
  const { error, docs } = (body ?? {}) as { error?: { code?: string }; docs?: string };
  if (status < 400 || typeof error?.code !== 'string') return [];
  // The routes of OpenAI have one word of their own.
  const code = error.code === 'context_length_exceeded' ? 'CONTEXT_TOO_LONG' : error.code;
  const declared = errorCodeNamed(code);
  const statuses = declared === undefined ? [] : answersWith(declared).map((answer) => answer.status);
  // A team's exception may have any status.
  const isKnown = statuses.includes(status) || code === 'REQUEST_FAILED';
  return [
    ...(isKnown ? [] : [`${code} is not known to answer ${status}`]),
    ...(docs?.endsWith(`/guides/errors#${code}`) ? [] : [`${code} leads to ${docs}`]),
  ];
};

/** Compares answers of the running service with its published documents. */
export class DocumentCheck {
  private static readonly known = new Map<string, DocumentCheck>();
  private readonly ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: false,
    validateSchema: false, // `npm run openapi:lint` checks the documents themselves.
  });
  private readonly validators = new Map<string, ValidateFunction | undefined>();

  /**
   * Settings change prices and addresses in documents, but no schema of an answer. So worlds with the same routes share
   * one check and its compiled schemas in each worker.
   */
  static of(routes: string, documents: () => readonly OpenAPIObject[]): DocumentCheck {
    const check = DocumentCheck.known.get(routes) ?? new DocumentCheck(documents());
    DocumentCheck.known.set(routes, check);
    return check;
  }

  constructor(private readonly documents: readonly OpenAPIObject[]) {
    documents.forEach((document, index) =>
      this.ajv.addSchema(closed(document) as object, `document-${index}`),
    );
  }

  /** The differences between the document and this answer; none for undocumented routes. */
  problemsWith(answer: SentAnswer): readonly string[] {
    const path = answer.route.replaceAll(/:(\w+)/g, '{$1}');
    const method = answer.method.toLowerCase();
    const index = this.documents.findIndex(
      ({ paths }) => (paths[path] as Json | undefined)?.[method] !== undefined,
    );
    if (index === -1) {
      return [];
    }
    const item = this.documents[index]?.paths[path] as unknown as Record<string, Operation>;
    const { responses, requestBody } = item[method]!;
    const where = `${answer.method} ${path} ${answer.status}`;
    const isGround =
      ANYWHERE.has(answer.status) || (requestBody === undefined && STRAY_BODY.has(answer.status));
    const status = isGround && !(answer.status in responses) ? 'default' : String(answer.status);
    const response = responses[status] as Response | undefined;
    if (response === undefined) {
      return [`${where} is not documented (${JSON.stringify(answer.body)?.slice(0, 200)})`];
    }
    const named = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()));
    const unnamed = Object.keys(answer.headers).filter((name) => CALL_HEADERS.test(name) && !named.has(name));
    const place = ['paths', path, method, 'responses', status];
    return [
      ...unnamed.map((name) => `${where}: the header ${name} is not documented${hintOf(name)}`),
      ...this.bodyProblems(index, place, response, answer).map((problem) => `${where}: ${problem}`),
    ];
  }

  private bodyProblems(
    index: number,
    place: readonly string[],
    { content }: Response,
    { headers, body }: SentAnswer,
  ): readonly string[] {
    const type = (headers['content-type'] as string | undefined)?.split(';', 1)[0] ?? '';
    if (body === undefined || body === '' || type === 'text/event-stream') {
      return [];
    }
    if (content?.[type] === undefined) {
      return [`a body of type ${type} is not documented`];
    }
    const id = `document-${index}#${pointer(...place, 'content', type, 'schema')}`;
    if (!this.validators.has(id)) this.validators.set(id, this.ajv.getSchema(id));
    const validate = this.validators.get(id);
    if (validate === undefined) {
      return [`there is no schema at ${id}`];
    }
    return validate(body)
      ? []
      : [`${this.ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 400)}`];
  }
}
