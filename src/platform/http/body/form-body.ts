import type { Readable } from 'node:stream';

import type { FastifyInstance, FastifyRequest } from 'fastify';

import { InvalidRequest } from '../../../kernel/app-error';
import { rememberBody } from './body-bytes';
import type { BodyReader } from './body-reader';
import { wishesOf } from '../routes/route';

const FIELDS_MAX = 100;

/** Forms have only texts; these two words mean what they say. */
const valueOf = (text: string): string | boolean =>
  text === 'true' ? true : text === 'false' ? false : text;

const readForm = async (
  request: FastifyRequest,
  bytes: Buffer,
): Promise<Readonly<Record<string, unknown>>> => {
  let form: FormData;
  try {
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    form = await new Response(new Uint8Array(bytes), { headers }).formData();
  } catch {
    throw new InvalidRequest('The body is not a valid multipart form.');
  }
  const fields: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  let count = 0;
  for (const [name, value] of form) {
    count += 1;
    if (count > FIELDS_MAX) {
      throw new InvalidRequest(`The form holds more than ${FIELDS_MAX} fields.`);
    }
    if (name === '__proto__' || name in fields) {
      throw new InvalidRequest(`The form must name ${name.slice(0, 100)} once.`, {
        param: name.slice(0, 100),
      });
    }
    if (typeof value !== 'string') {
      throw new InvalidRequest(`${name.slice(0, 100)} must be text, not a file.`, {
        param: name.slice(0, 100),
      });
    }
    fields[name] = valueOf(value);
  }
  return { ...fields };
};

/**
 * Takes multipart forms where a route asks for them, because a stock SDK sends some calls that way. What is remembered
 * as the body is what the form says: its boundary changes from try to try, and the same call must stay the same.
 */
export const parseForms = (instance: FastifyInstance, reader: BodyReader): void => {
  instance.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, payload: Readable) => {
    if (wishesOf(request).form !== true) {
      throw Object.assign(new Error('form'), { statusCode: 415 });
    }
    const { bytes } = await reader.read(request, payload);
    const fields = await readForm(request, bytes);
    rememberBody(request, Buffer.from(JSON.stringify(fields)));
    return fields;
  });
};
