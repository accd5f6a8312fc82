import { bytesOf, dataUriOf, fileNameOf, sourcesOf } from '../http/media-bytes';
import { HttpMediaProvider } from '../http/http-media.provider';
import { ProviderFault } from '../http/provider-fault';
import { type BillingState, cancelWaiting } from '../cancel-waiting';
import type { Cancellation, MediaInput, MediaRequest, OperationStatus } from '../media-provider';
import { toFileUrl, toInput, toProviderRef, toBillingState, toStatus, toSubmission } from './replicate.wire';

/** The limit for a file inside a prediction. The adapter uploads larger files first. */
const INLINE_BYTES_MAX = 256 * 1024;
/** The answer contains logs and small source media. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/**
 * Makes media with the predictions of Replicate, which have no documented field for our id. A submission whose answer
 * is lost stays unknown until the job's deadline. Its prompt does not identify it, because two callers may send the
 * same prompt.
 */
export class ReplicateMediaProvider extends HttpMediaProvider {
  readonly pollMs = 1_000;

  constructor(access: { readonly baseUrl: string; readonly key: string | undefined }) {
    const headers = () => ({ authorization: `Bearer ${access.key ?? ''}` });
    super({ name: 'replicate', baseUrl: access.baseUrl, headers });
  }

  protected async begin(request: MediaRequest, signal: AbortSignal): Promise<string> {
    const input = toInput(request, await sourcesOf(request, (source) => this.handedOver(source, signal)));
    const answer = await this.http.json({
      ...toSubmission(request.model, input),
      method: 'POST',
      headers: { prefer: 'respond-async' },
      bytesMax: ANSWER_BYTES_MAX,
      signal,
    });
    return toProviderRef(answer);
  }

  protected async stateOf(providerRef: string, signal: AbortSignal): Promise<OperationStatus> {
    return toStatus(await this.get(providerRef, signal));
  }

  override async stop(providerRef: string, _model: string, signal: AbortSignal): Promise<void> {
    await this.askToCancel(providerRef, signal);
  }

  override cancel(providerRef: string, _model: string, signal: AbortSignal): Promise<Cancellation> {
    const stateNow = async (): Promise<BillingState> => toBillingState(await this.get(providerRef, signal));
    const cancel = async (): Promise<BillingState> =>
      toBillingState(await this.askToCancel(providerRef, signal));
    return cancelWaiting({ stateNow, cancel }, signal);
  }

  private get(providerRef: string, signal: AbortSignal): Promise<unknown> {
    const path = `predictions/${providerRef}`;
    return this.http.json({ method: 'GET', path, signal, bytesMax: ANSWER_BYTES_MAX });
  }

  private askToCancel(providerRef: string, signal: AbortSignal): Promise<unknown> {
    const path = `predictions/${providerRef}/cancel`;
    return this.http.json({ method: 'POST', path, signal, bytesMax: ANSWER_BYTES_MAX });
  }

  private async handedOver(input: MediaInput, signal: AbortSignal): Promise<string> {
    if (input.bytes <= INLINE_BYTES_MAX) return dataUriOf(input);
    const form = new FormData();
    form.append('content', new Blob([await bytesOf(input)], { type: input.mime }), fileNameOf(input));
    try {
      return toFileUrl(await this.http.json({ method: 'POST', path: 'files', form, signal }));
    } catch (error) {
      // A failed upload has no further effect, because no work was requested yet.
      if (!(error instanceof ProviderFault) || error.outcome === 'refused') throw error;
      throw new ProviderFault('not-accepted', 'a file could not be handed over', { cause: error });
    }
  }
}
