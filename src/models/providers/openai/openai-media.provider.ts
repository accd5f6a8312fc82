import { bytesOf, fileNameOf } from '../http/media-bytes';
import { asLookError, asMediaError } from '../http/provider-fault';
import { ProviderHttp } from '../http/provider-http';
import { kindOf } from '../media-mode';
import { type Lookup, MediaProvider, type MediaRequest, type OperationStatus } from '../media-provider';
import type { ProviderName } from '../provider-name';
import { HeldResults } from '../media/held-result.repository';
import { OpenaiImages } from './openai-images';
import { toStatus, toVideoFields, toVideoId } from './openai-media.wire';
import { type ServerAccess, authorizationOf } from './openai-server';
import { judge } from './openai.wire';

const HELD = /^held_/;

/**
 * Makes images and videos at OpenAI, or at a server with OpenAI's routes. The service polls videos; an answer contains
 * its images.
 */
export class OpenaiMediaProvider extends MediaProvider {
  readonly pollMs = 1_000;
  private readonly http: ProviderHttp;
  private readonly images: OpenaiImages;
  private readonly headers: () => Readonly<Record<string, string>>;

  constructor(
    readonly name: ProviderName,
    access: ServerAccess,
    results: HeldResults,
  ) {
    super();
    this.headers = () => authorizationOf(access);
    this.http = new ProviderHttp({ name, baseUrl: access.baseUrl, headers: this.headers, judge });
    this.images = new OpenaiImages(this.http, results);
  }

  async submit(request: MediaRequest, signal: AbortSignal): Promise<{ readonly providerRef: string }> {
    try {
      return await (kindOf(request.mode) === 'image'
        ? this.images.submit(request)
        : this.submitVideo(request, signal));
    } catch (error) {
      throw asMediaError(error);
    }
  }

  async status(providerRef: string, _model: string, signal: AbortSignal): Promise<OperationStatus> {
    if (HELD.test(providerRef)) return this.images.status(providerRef);
    try {
      const answer = await this.http.json({ method: 'GET', path: `videos/${providerRef}`, signal });
      const status = toStatus(answer);
      if (status.state !== 'completed') return status;
      const url = new URL(`videos/${providerRef}/content`, this.http.base).href;
      return { state: 'done', result: { url, headers: this.headers() } };
    } catch (error) {
      throw asLookError(error);
    }
  }

  override lookup(ourId: string): Promise<Lookup> {
    return this.images.lookup(ourId);
  }

  override async stop(providerRef: string, _model: string, signal: AbortSignal): Promise<void> {
    if (HELD.test(providerRef)) return;
    await this.http.json({ method: 'DELETE', path: `videos/${providerRef}`, signal });
  }

  override async close(): Promise<void> {
    await this.http.close();
  }

  private async submitVideo(
    request: MediaRequest,
    signal: AbortSignal,
  ): Promise<{ readonly providerRef: string }> {
    const form = new FormData();
    for (const [name, value] of Object.entries(toVideoFields(request))) form.append(name, value);
    const { image, ourId } = request;
    if (image !== undefined) {
      const file = new Blob([await bytesOf(image)], { type: image.mime });
      form.append('input_reference', file, fileNameOf(image));
    }
    const headers = { 'x-client-request-id': ourId };
    const answer = await this.http.json({ method: 'POST', path: 'videos', form, headers, signal });
    return { providerRef: toVideoId(answer) };
  }
}
