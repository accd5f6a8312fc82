import type { Micro } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import { decodeImage } from '#platform/media/image-decoding';
import { sharp } from '#platform/media/image-library';
import { bytesOf, fileNameOf } from '../http/media-bytes';
import type { ProviderHttp } from '../http/provider-http';
import { HeldPictures, PICTURE_BYTES_MAX, PICTURE_MS_MAX } from '../media/held-pictures';
import type { MediaInput, MediaRequest } from '../media-provider';
import type { HeldResults } from '../media/held-result.repository';
import { toImageFields, toPictures, toTokens } from './openai-media.wire';

/** OpenAI repaints the transparent part of a mask. Our masks mark the repainted part in white. */
const clearWhereWhite = async (mask: MediaInput): Promise<Buffer<ArrayBuffer>> => {
  const { data, width, height, channels } = await decodeImage(await bytesOf(mask), 'masks', [
    ['flatten', { background: '#000' }],
    ['greyscale'],
    ['negate'],
    ['raw'],
  ]);
  const kept = await sharp({ create: { width, height, channels: 3, background: '#000' } })
    .joinChannel(data, { raw: { width, height, channels } })
    .png()
    .toBuffer();
  return Buffer.from(kept);
};

const send = async (http: ProviderHttp, request: MediaRequest): Promise<unknown> => {
  const call = {
    method: 'POST',
    headers: { 'x-client-request-id': request.ourId },
    headersMsMax: PICTURE_MS_MAX,
    bytesMax: PICTURE_BYTES_MAX,
    signal: AbortSignal.timeout(PICTURE_MS_MAX),
  } as const;
  const fields = toImageFields(request);
  const { n = 1 } = request;
  const { image, image2, sources: further = [], mask } = request;
  const sources = [image, image2, ...further].filter((source) => source !== undefined);
  if (sources.length === 0) {
    return http.json({ ...call, path: 'images/generations', json: { ...fields, n } });
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (n > 1) form.append('n', String(n));
  for (const source of sources) {
    form.append('image[]', new Blob([await bytesOf(source)], { type: source.mime }), fileNameOf(source));
  }
  if (mask !== undefined) form.append('mask', new Blob([await clearWhereWhite(mask)]), 'mask.png');
  return http.json({ ...call, path: 'images/edits', form });
};

/** The vendor's bill for the tokens that its answer counts. */
const billIn = (answer: unknown, { billOf }: MediaRequest): Micro | undefined =>
  billOf === undefined ? undefined : ifPresent(toTokens(answer), billOf);

/** Makes pictures at OpenAI, or at a server with OpenAI's routes. */
export class OpenaiImages extends HeldPictures {
  constructor(http: ProviderHttp, results: HeldResults, firstMsMax?: number) {
    super(
      results,
      async (request) => {
        const answer = await send(http, request);
        return { pictures: toPictures(answer), cost: billIn(answer, request) };
      },
      firstMsMax,
    );
  }
}
