import type { Readable } from 'node:stream';

import { Busboy, type BusboyConfig, type BusboyInstance } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import { InvalidRequest } from '../../../kernel/app-error';
import { rememberBody } from './body-bytes';
import type { BodyReader } from './body-reader';
import type { FileForms } from './file-form';
import { RequestSlot } from '../request-slot';
import { routeOptionsOf } from '../routes/route';

const FIELDS_MAX = 100;

const streamed = new RequestSlot<Readable>();

/** The unread form of a route whose `form` is `streamed`; undefined for any other body. */
export const streamedFormOf = (request: FastifyRequest): Readable | undefined => streamed.get(request);

/** Forms contain only texts, so `true` and `false` become booleans. */
const valueOf = (text: string): string | boolean =>
  text === 'true' ? true : text === 'false' ? false : text;

const isNoForm = (): InvalidRequest => new InvalidRequest('The body is not a valid multipart form.');
const isTooLong = (): InvalidRequest => new InvalidRequest(`The form holds more than ${FIELDS_MAX} fields.`);

/** The result is undefined if the content type names no boundary. */
const parserOf = (contentType: string, limits: BusboyConfig['limits']): BusboyInstance | undefined => {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits });
  } catch {
    return undefined;
  }
};

/** The texts of a complete form. The parser needs no limit for a part, because no part is longer than the form. */
export const readForm = (contentType: string, bytes: Buffer): Promise<Readonly<Record<string, unknown>>> =>
  new Promise((resolve, reject) => {
    const fields = new Map<string, string | boolean>();
    const limits = { fields: FIELDS_MAX, files: 1, fieldSize: Math.max(1, bytes.length) };
    const form = parserOf(contentType, limits);
    if (form === undefined) {
      reject(isNoForm());
      return;
    }
    const refuse = (name: string, is: (short: string) => string): void => {
      const short = name.slice(0, 100);
      reject(new InvalidRequest(is(short), { param: short }));
    };
    form.on('field', (name: string | undefined, text: string) => {
      if (name === undefined) reject(isNoForm());
      else if (name === '__proto__' || fields.has(name))
        refuse(name, (short) => `The form must name ${short} once.`);
      else fields.set(name, valueOf(text));
    });
    form.on('file', (name, file) => {
      file.resume();
      refuse(name, (short) => `${short} must be text, not a file.`);
    });
    form.on('fieldsLimit', () => reject(isTooLong()));
    form.on('error', () => reject(isNoForm()));
    form.on('finish', () => resolve(Object.fromEntries(fields)));
    form.end(bytes);
  });

/**
 * Accepts multipart forms on routes that allow them, because stock SDKs send some calls in this form. The stored body
 * is the content of the form without its boundary. Each try has another boundary, but it must count as the same call.
 */
export const parseForms = (instance: FastifyInstance, reader: BodyReader, files: FileForms): void => {
  instance.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, payload: Readable) => {
    const { form } = routeOptionsOf(request);
    if (form === 'streamed') {
      streamed.set(request, payload);
      return {};
    }
    if (form === 'file') {
      const fields = Object.entries(await files.read(request, payload));
      return Object.fromEntries(fields.map(([name, text]) => [name, valueOf(text)]));
    }
    if (form !== true) {
      throw Object.assign(new Error('form'), { statusCode: 415 });
    }
    const { bytes } = await reader.read(request, payload);
    const fields = await readForm(request.headers['content-type'] ?? '', bytes);
    rememberBody(request, Buffer.from(JSON.stringify(fields)));
    return fields;
  });
};
