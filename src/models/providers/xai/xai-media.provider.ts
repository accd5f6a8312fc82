import { dataUriOf } from '../http/media-bytes';
import { HttpMediaProvider } from '../http/http-media.provider';
import type { ProviderHttpOptions } from '../http/provider-http';
import { HeldPictures, PICTURE_BYTES_MAX, PICTURE_MS_MAX } from '../media/held-pictures';
import { kindOf } from '../media-mode';
import type { Lookup, MediaRequest, OperationStatus } from '../media-provider';
import type { HeldResults, MadePictures } from '../media/held-result.repository';
import { toFilmAsk, toPictureAsk, toPictures, toProviderRef, toStatus } from './xai-media.wire';

/**
 * Makes pictures and films with Grok Imagine. An answer contains its pictures; the service polls films. The API accepts
 * no id of ours, and it can't stop work. The address of a film needs no key.
 */
export class XaiMediaProvider extends HttpMediaProvider {
  readonly pollMs = 5_000;
  private readonly pictures: HeldPictures;

  constructor(options: ProviderHttpOptions, results: HeldResults) {
    super(options);
    this.pictures = new HeldPictures(results, (request) => this.draw(request));
  }

  protected async begin(request: MediaRequest, signal: AbortSignal): Promise<string> {
    if (kindOf(request.mode) === 'image') return (await this.pictures.submit(request)).providerRef;
    const image = request.image && (await dataUriOf(request.image));
    const answer = await this.http.json({ ...toFilmAsk(request, image), method: 'POST', signal });
    return toProviderRef(answer);
  }

  protected async stateOf(providerRef: string, signal: AbortSignal): Promise<OperationStatus> {
    if (HeldPictures.holds(providerRef)) return this.pictures.status(providerRef);
    return toStatus(await this.http.json({ method: 'GET', path: `videos/${providerRef}`, signal }));
  }

  override lookup(ourId: string): Promise<Lookup> {
    return this.pictures.lookup(ourId);
  }

  private async draw(request: MediaRequest): Promise<MadePictures> {
    const { image, sources: further = [] } = request;
    const sources = [image, ...further].filter((source) => source !== undefined);
    const ask = toPictureAsk(request, await Promise.all(sources.map(dataUriOf)));
    const answer = await this.http.json({
      ...ask,
      method: 'POST',
      headersMsMax: PICTURE_MS_MAX,
      bytesMax: PICTURE_BYTES_MAX,
      signal: AbortSignal.timeout(PICTURE_MS_MAX),
    });
    return toPictures(answer);
  }
}
