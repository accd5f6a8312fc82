import type { Readable } from 'node:stream';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { NotFound } from '#kernel/app-error';
import type { BlobRange, BlobStore } from '../../storage/blob-store';
import { BlobRangeOutside } from '../../storage/blob-store.errors';

export interface ServedBlob {
  readonly key: string;
  readonly mime: string;
  readonly bytes: number;
  /** The name of the saved file in a browser, without the extension. */
  readonly name: string;
  readonly disposition: 'inline' | 'attachment';
  readonly cacheControl: string;
}

/**
 * The one range that a player requests: from a position, or the last bytes. For several ranges the result is undefined.
 * The answer is then the whole file, which the protocol allows.
 */
const rangeOf = (header: string | undefined, bytes: number): BlobRange | undefined => {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return { start: Math.max(0, bytes - Number(last)) };
  return { start: Number(first), end: last === '' ? undefined : Number(last) };
};

/** Answers with a blob, or with the requested part. The headers prevent that a browser runs anything in it. */
export const replyWithBlob = async (
  request: FastifyRequest,
  reply: FastifyReply,
  blobs: BlobStore,
  { key, mime, bytes, name, disposition, cacheControl }: ServedBlob,
): Promise<Readable | undefined> => {
  const requested = rangeOf(request.headers.range, bytes);
  try {
    const blob = await blobs.get(key, requested);
    if (blob === undefined) {
      throw new NotFound('There is no such medium, or its time is up.');
    }
    const { range } = blob;
    void reply
      .status(requested === undefined ? 200 : 206)
      .header('content-type', mime)
      .header('content-length', range.end - range.start + 1)
      .header('accept-ranges', 'bytes')
      .header('cache-control', cacheControl)
      .header('content-disposition', `${disposition}; filename="${name}.${mime.split('/')[1] ?? 'bin'}"`)
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cross-origin-resource-policy', 'cross-origin');
    if (requested !== undefined) {
      void reply.header('content-range', `bytes ${range.start}-${range.end}/${bytes}`);
    }
    return blob.stream;
  } catch (error) {
    if (!(error instanceof BlobRangeOutside)) throw error;
    void reply.status(416).header('content-range', `bytes */${bytes}`);
    return undefined;
  }
};
