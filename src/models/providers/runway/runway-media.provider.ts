import { dataUriOf, sourcesOf } from '../http/media-bytes';
import { HttpMediaProvider } from '../http/http-media.provider';
import type { MediaRequest, OperationStatus } from '../media-provider';
import { judge, toProviderRef, toStatus, toSubmission } from './runway.wire';

/** Large enough for an answer that repeats its prompt. */
const ANSWER_BYTES_MAX = 256 * 1024;

/**
 * Makes pictures and films with the tasks of Runway, which accept no id of ours. A submission whose answer is lost stays
 * unknown until the job's deadline.
 */
export class RunwayMediaProvider extends HttpMediaProvider {
  /** Runway asks its clients not to poll more often. */
  readonly pollMs = 5_000;

  constructor(access: { readonly baseUrl: string; readonly key: string | undefined }, version: string) {
    const headers = () => ({ authorization: `Bearer ${access.key ?? ''}`, 'x-runway-version': version });
    super({ name: 'runway', baseUrl: access.baseUrl, headers, judge });
  }

  protected async begin(request: MediaRequest, signal: AbortSignal): Promise<string> {
    const submission = toSubmission(request, await sourcesOf(request, dataUriOf));
    return toProviderRef(await this.http.json({ ...submission, method: 'POST', signal }));
  }

  protected async stateOf(providerRef: string, signal: AbortSignal): Promise<OperationStatus> {
    const path = `tasks/${providerRef}`;
    return toStatus(await this.http.json({ method: 'GET', path, signal, bytesMax: ANSWER_BYTES_MAX }));
  }

  /** The answer of a deletion has no content. */
  override async stop(providerRef: string, _model: string, signal: AbortSignal): Promise<void> {
    const body = await this.http.open({ method: 'DELETE', path: `tasks/${providerRef}`, signal });
    body.leave();
  }
}
