import { bytesOf, dataUriOf, fileNameOf, sourcesOf } from '../http/media-bytes';
import { ProviderFault, asLookError, asMediaError } from '../http/provider-fault';
import { ProviderHttp } from '../http/provider-http';
import { type BillingState, cancelWaiting } from '../cancel-waiting';
import {
  type Cancellation,
  type MediaInput,
  MediaProvider,
  type MediaRequest,
  type OperationStatus,
} from '../media-provider';
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
export class ReplicateMediaProvider extends MediaProvider {
  readonly name = 'replicate';
  readonly pollMs = 1_000;
  private readonly http: ProviderHttp;

  constructor(access: { readonly baseUrl: string; readonly key: string | undefined }) {
    super();
    const headers = () => ({ authorization: `Bearer ${access.key ?? ''}` });
    this.http = new ProviderHttp({ name: this.name, baseUrl: access.baseUrl, headers });
  }

  async submit(request: MediaRequest, signal: AbortSignal): Promise<{ readonly providerRef: string }> {
    try {
      const input = toInput(request, await sourcesOf(request, (input) => this.handedOver(input, signal)));
      const answer = await this.http.json({
        ...toSubmission(request.model, input),
        method: 'POST',
        headers: { prefer: 'respond-async' },
        bytesMax: ANSWER_BYTES_MAX,
        signal,
      });
      return { providerRef: toProviderRef(answer) };
    } catch (error) {
      throw asMediaError(error);
    }
  }

  async status(providerRef: string, _model: string, signal: AbortSignal): Promise<OperationStatus> {
    try {
      return toStatus(await this.get(providerRef, signal));
    } catch (error) {
      throw asLookError(error);
    }
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

  override async close(): Promise<void> {
    await this.http.close();
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
