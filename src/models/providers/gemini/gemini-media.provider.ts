import { bytesOf } from '../http/media-bytes';
import { HttpMediaProvider } from '../http/http-media.provider';
import type { ProviderHttpOptions } from '../http/provider-http';
import { HeldPictures, PICTURE_BYTES_MAX, PICTURE_MS_MAX } from '../media/held-pictures';
import { kindOf } from '../media-mode';
import type { Lookup, MediaInput, MediaRequest, OperationStatus } from '../media-provider';
import type { HeldResults } from '../media/held-result.repository';
import {
  type InlineImage,
  toFilmAsk,
  toPictureAsk,
  toPictures,
  toProviderRef,
  toStatus,
} from './gemini-media.wire';

/** Large, because a failed operation may quote its request. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

const inlineOf = async (input: MediaInput): Promise<InlineImage> => ({
  mimeType: input.mime,
  data: (await bytesOf(input)).toString('base64'),
});

/** Makes pictures with Gemini and Imagen, whose answers contain them, and films with Veo, which the service polls. */
export class GeminiMediaProvider extends HttpMediaProvider {
  readonly pollMs = 5_000;
  private readonly pictures: HeldPictures;

  constructor(
    private readonly options: ProviderHttpOptions,
    results: HeldResults,
  ) {
    super(options);
    this.pictures = new HeldPictures(results, async (request) => ({ pictures: await this.draw(request) }));
  }

  protected async begin(request: MediaRequest, signal: AbortSignal): Promise<string> {
    if (kindOf(request.mode) !== 'image') return this.submitFilm(request, signal);
    return (await this.pictures.submit(request)).providerRef;
  }

  protected async stateOf(providerRef: string, signal: AbortSignal): Promise<OperationStatus> {
    if (HeldPictures.holds(providerRef)) return this.pictures.status(providerRef);
    const call = { method: 'GET', path: providerRef, signal, bytesMax: ANSWER_BYTES_MAX } as const;
    const status = toStatus(await this.http.json(call));
    if (status.state !== 'done' || !('url' in status.result)) return status;
    const { url } = status.result;
    // The download of a film needs our key. The service sends the key only to the host that named the film.
    const isTheirs = URL.canParse(url) && new URL(url).origin === this.http.base.origin;
    return isTheirs ? { ...status, result: { url, headers: this.options.headers() } } : status;
  }

  override lookup(ourId: string): Promise<Lookup> {
    return this.pictures.lookup(ourId);
  }

  private async draw(request: MediaRequest): Promise<readonly Buffer[]> {
    const { image, image2, sources: further = [] } = request;
    const sources = [image, image2, ...further].filter((source) => source !== undefined);
    const ask = toPictureAsk(request, await Promise.all(sources.map(inlineOf)));
    const answer = await this.http.json({
      ...ask,
      method: 'POST',
      headersMsMax: PICTURE_MS_MAX,
      bytesMax: PICTURE_BYTES_MAX,
      signal: AbortSignal.timeout(PICTURE_MS_MAX),
    });
    return toPictures(answer);
  }

  private async submitFilm(request: MediaRequest, signal: AbortSignal): Promise<string> {
    const [image, lastFrame] = await Promise.all(
      [request.image, request.lastFrame].map(async (frame) => frame && inlineOf(frame)),
    );
    const answer = await this.http.json({ ...toFilmAsk(request, image, lastFrame), method: 'POST', signal });
    return toProviderRef(answer);
  }
}
