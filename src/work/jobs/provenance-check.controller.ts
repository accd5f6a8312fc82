import { createHash } from 'node:crypto';

import { Body, Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { InvalidRequest } from '#kernel/app-error';
import { hashToHex } from '#kernel/perceptual-hash';
import { Guest, TooMuchForGuests } from '#kernel/slots';
import { outerOf } from '#platform/http/inner-calls';
import { callerOf } from '#platform/http/limits/caller-address';
import { HttpRoute } from '#platform/http/routes/route';
import { bytesOfBase64 } from '#platform/media/base64';
import { ImageTooLarge, UnreadableImage, hashImage } from '#platform/media/image-decoding';
import { sniffMedia } from '#platform/media/sniff-media';
import { ContentCredentials } from '#platform/credentials/content-credentials';
import { BadMedia, UnsupportedMedia } from '#platform/media/media.errors';
import { ApiOwner } from '#money/billing/calls/owner-route';
import { ApiBodyLike } from '#platform/openapi/docs';
import { ApiFailures } from '#platform/openapi/failures';
import { ProvenanceRepository } from './provenance.repository';
import { ProvenanceCheckAnswer, ProvenanceCheckBody } from './provenance-check.dto';

/** An image as a data URI. */
const BODY_BYTES_MAX = 24 * 1024 * 1024;

/** Finds the origin of a file by its bytes or its looks, even without metadata. */
@ApiTags('generation')
@ApiSecurity({})
@ApiOwner()
@Controller('v1/agent/provenance/verify')
export class ProvenanceCheckController {
  constructor(
    private readonly provenances: ProvenanceRepository,
    private readonly credentials: ContentCredentials,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @HttpRoute({ limit: 'free', bodyBytesMax: BODY_BYTES_MAX, admission: 'owner' })
  @ApiOperation({
    summary: 'Check whether this service made a file. Free.',
    description:
      'By the hash of its bytes, by the perceptual hash of a picture, or by the file itself. A picture that was resized, ' +
      'compressed again or stripped of its metadata is `similar`. `manifest` is about the C2PA manifest of a file that was ' +
      'sent. Hashes need no credential; a file above 64 KB does.',
    operationId: 'verifyProvenance',
  })
  @ApiBodyLike(ProvenanceCheckBody, { sha256: 'a'.repeat(64) })
  @ApiOkResponse({ type: ProvenanceCheckAnswer })
  @ApiFailures(400, 401, 403, 413, 415, 429, 451, 503)
  async verify(
    @Req() request: FastifyRequest,
    @Body() body: ProvenanceCheckBody,
  ): Promise<ProvenanceCheckAnswer> {
    const { sha256, perceptualHash, media } = body;
    if (sha256 === undefined && perceptualHash === undefined && media === undefined)
      throw new InvalidRequest('Send sha256, perceptualHash or media.', { param: 'sha256' });
    const file = media === undefined ? undefined : fileIn(media);
    const guest = new Guest(callerOf(outerOf(request) ?? request));
    const [found, manifest] = await Promise.all([
      this.origin(body, file, guest),
      file && this.credentials.read(file.bytes, file.mime, guest),
    ]);
    return {
      ...found,
      manifest: manifest?.manifest,
      manifestIssuer: manifest?.issuer,
      manifestOurs: manifest?.isOurs,
    };
  }

  private async origin(
    { sha256, perceptualHash }: ProvenanceCheckBody,
    file: SentFile | undefined,
    guest: Guest,
  ): Promise<ProvenanceCheckAnswer> {
    const hashes = [sha256, file && createHash('sha256').update(file.bytes).digest('hex')];
    const exact = await this.provenances.ofBytes(hashes.filter((hash) => hash !== undefined));
    if (exact !== undefined) return answerOf('exact', exact, 0);
    const seen = file?.mime.startsWith('image/') === true ? await looksOf(file.bytes, guest) : undefined;
    const near = [perceptualHash === undefined ? undefined : BigInt(`0x${perceptualHash}`), seen];
    for (const hash of near) {
      const found = hash === undefined ? undefined : await this.provenances.near(hash);
      if (found !== undefined) return answerOf('similar', found.provenance, found.distance);
    }
    return { found: false, match: 'none', perceptualHash: seen === undefined ? undefined : hashToHex(seen) };
  }
}

interface SentFile {
  readonly mime: string;
  readonly bytes: Buffer;
}

/** The types that results of this service have. */
const TYPES: readonly (string | undefined)[] = ['image/png', 'image/jpeg', 'image/webp', 'video/mp4'];

/** The bytes decide the type, because any parser of a wrong type would get a stranger's bytes. */
const fileIn = (media: string): SentFile => {
  const bytes = bytesOfBase64(media.slice(media.indexOf(',') + 1));
  if (bytes === undefined) throw new BadMedia('media', 'must be a data: URI in base64');
  const mime = sniffMedia(bytes);
  if (mime === undefined || !TYPES.includes(mime))
    throw new UnsupportedMedia('media', 'is no PNG, JPEG, WebP or MP4 file by its first bytes');
  return { mime, bytes };
};

const answerOf = (
  match: 'exact' | 'similar',
  found: { readonly id: string; readonly modelId: string; readonly createdAt: Date },
  distance: number,
): ProvenanceCheckAnswer => ({
  found: true,
  match,
  model: found.modelId,
  createdAt: found.createdAt.toISOString(),
  provenanceId: found.id,
  distance,
});

const looksOf = async (bytes: Buffer, owner: Guest): Promise<bigint | undefined> => {
  try {
    return await hashImage(bytes, owner);
  } catch (error) {
    if (error instanceof ImageTooLarge) throw new BadMedia('media', error.message);
    if (error instanceof TooMuchForGuests) throw new BadMedia('media', 'is too large to be decoded here');
    if (error instanceof UnreadableImage) throw new UnsupportedMedia('media', 'cannot be read as an image');
    throw error;
  }
};
