import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import type { FastifyReply, FastifyRequest } from 'fastify';
import { getOrMake } from '#kernel/maps';

type Encoding = 'br' | 'gzip' | 'identity';

const compressors: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
  identity: (bytes) => Promise.resolve(bytes),
};

/** The best encoding that a browser accepts. */
const encodingFor = (accepts: string | undefined): Encoding =>
  (['br', 'gzip'] as const).find((encoding) => new RegExp(`\\b${encoding}\\b`).test(accepts ?? '')) ??
  'identity';

/** Bytes that are compressed once, at their first use. */
export class Compressed {
  private readonly done = new Map<Encoding, Promise<Buffer>>();

  constructor(private readonly bytes: Buffer) {}

  as(encoding: Encoding): Promise<Buffer> {
    return getOrMake(this.done, encoding, () => compressors[encoding](this.bytes));
  }
}

/** The body in the best encoding that the client accepts. */
export const sendCompressed = (
  { headers }: FastifyRequest,
  reply: FastifyReply,
  content: Compressed,
  more: Readonly<Record<string, string>> = {},
): Promise<Buffer> => {
  const encoding = encodingFor(headers['accept-encoding']);
  void reply.headers({ ...more, vary: 'accept-encoding' });
  if (encoding !== 'identity') void reply.header('content-encoding', encoding);
  return content.as(encoding);
};
