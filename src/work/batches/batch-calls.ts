import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { requireModelField } from '#money/billing/calls/model-field';
import type { PaidBody } from '#money/billing/calls/paid-body';
import type { Pricer } from '#money/billing/calls/pricer';
import { Catalog } from '#models/catalog/catalog';
import type { PricedCall } from '#models/catalog/priced-call';
import { CompletionBody } from '#work/chat/completions/completions.dto';
import { MessagesBody } from '#work/chat/messages/messages.dto';
import { ResponsesBody } from '#work/chat/responses/responses.dto';
import {
  CompletionsPricer,
  MessagesPricer,
  ResponsesPricer,
} from '#work/chat/compatible/conversation.pricer';
import { BY_USE } from '#work/chat/compatible/compatible-route';
import { AppError, InvalidRequest } from '#kernel/app-error';
import { type Fields, isFields, jsonIn } from '#kernel/json';
import { JsonGuard } from '#platform/http/body/json-guard';
import { validateAs } from '#platform/http/routes/validation';
import type { TextLine } from './batch-upload';

/** The routes that a batch may call. */
export const BATCH_ENDPOINTS = ['/v1/chat/completions', '/v1/responses', '/v1/messages'] as const;
export type BatchEndpoint = (typeof BATCH_ENDPOINTS)[number];

const CUSTOM_ID_CHARS_MAX = 200;

/** One call of a batch, parsed from its line. */
export interface BatchCall {
  readonly customId: string;
  readonly body: object;
}

/** Reads and prices the lines of a batch with the body classes and pricers of their route. */
@Injectable()
export class BatchCalls {
  private readonly routes: Readonly<
    Record<BatchEndpoint, { readonly body: new () => PaidBody; readonly pricer: Pricer<PaidBody> }>
  >;

  constructor(
    private readonly catalog: Catalog,
    completions: CompletionsPricer,
    responses: ResponsesPricer,
    messages: MessagesPricer,
  ) {
    this.routes = {
      '/v1/chat/completions': { body: CompletionBody, pricer: completions as Pricer<PaidBody> },
      '/v1/responses': { body: ResponsesBody, pricer: responses as Pricer<PaidBody> },
      '/v1/messages': { body: MessagesBody, pricer: messages as Pricer<PaidBody> },
    };
  }

  /** The call of a line with its price. An error names the line and the field. */
  async priced(
    { line, text }: TextLine,
    endpoint: BatchEndpoint,
    request: FastifyRequest,
  ): Promise<{ readonly call: BatchCall; readonly priced: PricedCall }> {
    try {
      const call = callIn(text, endpoint);
      const { body, pricer } = this.routes[endpoint];
      requireModelField(body, call.body);
      const checked = validateAs(body, call.body);
      if ((checked as { readonly stream?: unknown }).stream === true)
        throw new InvalidRequest('stream must be left out: the answers of a batch are a file.');
      const priced = await pricer.price(checked, request);
      this.catalog.requireSaleOf(priced, priced.list);
      return { call, priced };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new InvalidRequest(`Line ${line}: ${error.message}`, { param: 'input_file_id' });
    }
  }
}

/** The call of a line. Throws if the line is not valid. */
export const callIn = (text: string, endpoint: string): BatchCall => {
  const { custom_id: customId, method, url, body } = fieldsIn(text);
  if (typeof customId !== 'string' || customId === '' || customId.length > CUSTOM_ID_CHARS_MAX)
    throw new InvalidRequest(`custom_id must be a text of 1 to ${CUSTOM_ID_CHARS_MAX} characters.`);
  if (/[\p{Cc}\p{Cs}]/u.test(customId))
    throw new InvalidRequest('custom_id must not hold control characters or broken Unicode.');
  if (method !== 'POST') throw new InvalidRequest('method must be POST.');
  if (url !== endpoint) throw new InvalidRequest(`url must be ${endpoint}, as the endpoint of the batch.`);
  if (!isFields(body)) throw new InvalidRequest('body must be an object: the body of the call.');
  return { customId, body };
};

/** A line has the limits of a body: without them, a small file could fill the memory with empty values. */
const fieldsIn = (text: string): Fields => {
  const bytes = Buffer.from(text);
  if (bytes.length > BY_USE.bodyBytesMax) throw new InvalidRequest('The line is longer than 32 MB.');
  new JsonGuard().feed(bytes);
  const value = jsonIn(text);
  if (value === undefined) throw new InvalidRequest('It is not JSON.');
  if (typeof value !== 'object' || value === null) throw new InvalidRequest('It is no JSON object.');
  return value as Fields;
};
