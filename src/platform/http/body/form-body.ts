import { Readable } from 'node:stream';

import type { FastifyInstance, FastifyRequest } from 'fastify';

import { InvalidRequest } from '#kernel/app-error';
import { rememberBody } from './body-bytes';
import type { BodyReader } from './body-reader';
import type { FileForms } from './file-form';
import { isNoForm, namedTwice, readMultipart } from './multipart';
import { RequestSlot } from '../request-slot';
import { routeOptionsOf } from '../routes/route';
import { noFile } from './body.errors';

const FIELDS_MAX = 100;

const streamed = new RequestSlot<Readable>();

/** The unread form of a route whose `form` is `streamed`; undefined for any other body. */
export const streamedFormOf = (request: FastifyRequest): Readable | undefined => streamed.get(request);

/** Forms contain only texts, so `true` and `false` become booleans. */
const valueOf = (text: string): string | boolean =>
  text === 'true' ? true : text === 'false' ? false : text;

const isTooLong = (): InvalidRequest => new InvalidRequest(`The form holds more than ${FIELDS_MAX} fields.`);

/** The texts of a complete form. No part is longer than the form. */
export const readForm = async (
  contentType: string,
  bytes: Buffer,
): Promise<Readonly<Record<string, unknown>>> => {
  const fields = new Map<string, string | boolean>();
  await readMultipart(Readable.from(bytes), contentType, {
    fieldsMax: FIELDS_MAX,
    fieldBytesMax: Math.max(1, bytes.length),
    filesMax: 1,
    fileBytesMax: Math.max(1, bytes.length),
    field: (name, text) => {
      if (fields.has(name)) throw namedTwice(name);
      fields.set(name, valueOf(text));
    },
    file: (name) => Promise.reject(noFile(name)),
    tooManyParts: isTooLong,
    tooLargeFile: isNoForm,
  });
  return Object.fromEntries(fields);
};

/**
 * Accepts forms on routes that allow them. Stock SDKs send some calls as multipart forms. Their stored body
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
  instance.addContentTypeParser(
    'application/x-www-form-urlencoded',
    async (request: FastifyRequest, payload: Readable) => {
      if (routeOptionsOf(request).form !== 'urlencoded')
        throw Object.assign(new Error('form'), { statusCode: 415 });
      return (await reader.read(request, payload)).bytes.toString('utf8');
    },
  );
};
