import { bytesOf, fileNameOf } from '../http/media-bytes';
import type { ProviderHttp } from '../http/provider-http';
import { HeldPictures, PICTURE_BYTES_MAX, PICTURE_MS_MAX } from '../media/held-pictures';
import type { MediaRequest } from '../media-provider';
import type { HeldResults } from './held-result.repository';
import { toImageFields, toPicture } from './openai-media.wire';

const asked = async (http: ProviderHttp, request: MediaRequest): Promise<unknown> => {
  const call = {
    method: 'POST',
    headers: { 'x-client-request-id': request.ourId },
    headersMsMax: PICTURE_MS_MAX,
    bytesMax: PICTURE_BYTES_MAX,
    signal: AbortSignal.timeout(PICTURE_MS_MAX),
  } as const;
  const fields = toImageFields(request);
  const sources = [request.image, request.image2].filter((source) => source !== undefined);
  if (sources.length === 0) {
    return http.json({ ...call, path: 'images/generations', json: { ...fields, n: 1 } });
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const source of sources) {
    form.append('image[]', new Blob([await bytesOf(source)], { type: source.mime }), fileNameOf(source));
  }
  return http.json({ ...call, path: 'images/edits', form });
};

/** The pictures of OpenAI, or of a server with the same routes. */
export class OpenaiImages extends HeldPictures {
  constructor(http: ProviderHttp, results: HeldResults, firstMsMax?: number) {
    super(results, async (request) => toPicture(await asked(http, request)), firstMsMax);
  }
}
