import { dataUriOf, sourcesOf } from '../http/media-bytes';
import { asLookError, asMediaError } from '../http/provider-fault';
import { ProviderHttp } from '../http/provider-http';
import { MediaProvider, type MediaRequest, type OperationStatus } from '../media-provider';
import { judge, toProviderRef, toStatus, toSubmission } from './runway.wire';

/** Large enough for an answer that repeats its prompt. */
const ANSWER_BYTES_MAX = 256 * 1024;

/**
 * Makes films with the tasks of Runway, which accept no id of ours. A submission whose answer is lost stays unknown
 * until the job's deadline.
 */
export class RunwayMediaProvider extends MediaProvider {
  readonly name = 'runway';
  /** Runway asks its clients not to poll more often. */
  readonly pollMs = 5_000;
  private readonly http: ProviderHttp;

  constructor(access: { readonly baseUrl: string; readonly key: string | undefined }, version: string) {
    super();
    const headers = () => ({ authorization: `Bearer ${access.key ?? ''}`, 'x-runway-version': version });
    this.http = new ProviderHttp({ name: this.name, baseUrl: access.baseUrl, headers, judge });
  }

  async submit(request: MediaRequest, signal: AbortSignal): Promise<{ readonly providerRef: string }> {
    try {
      const submission = toSubmission(request, await sourcesOf(request, dataUriOf));
      return { providerRef: toProviderRef(await this.http.json({ ...submission, method: 'POST', signal })) };
    } catch (error) {
      throw asMediaError(error);
    }
  }

  async status(providerRef: string, _model: string, signal: AbortSignal): Promise<OperationStatus> {
    try {
      const path = `tasks/${providerRef}`;
      return toStatus(await this.http.json({ method: 'GET', path, signal, bytesMax: ANSWER_BYTES_MAX }));
    } catch (error) {
      throw asLookError(error);
    }
  }

  /** The answer of a deletion has no content. */
  override async stop(providerRef: string, _model: string, signal: AbortSignal): Promise<void> {
    const body = await this.http.open({ method: 'DELETE', path: `tasks/${providerRef}`, signal });
    body.leave();
  }

  override async close(): Promise<void> {
    await this.http.close();
  }
}
