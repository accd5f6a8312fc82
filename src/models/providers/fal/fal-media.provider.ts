import { dataUriOf, sourcesOf } from '../http/media-bytes';
import { HttpMediaProvider } from '../http/http-media.provider';
import { ProviderFault } from '../http/provider-fault';
import { ProviderHttp } from '../http/provider-http';
import { type BillingState, cancelWaiting } from '../cancel-waiting';
import type { Cancellation, MediaRequest, OperationStatus, UnitCost } from '../media-provider';
import {
  isRemoved,
  toInput,
  toPath,
  toProviderRef,
  toResult,
  toBillingState,
  toStatus,
  toUnitCosts,
} from './fal.wire';

/** Models may return small files inside their JSON. */
const RESULT_BYTES_MAX = 4 * 1024 * 1024;
/** The highest number of prices in one request. */
const PRICES_MAX = 50;

export interface FalAccess {
  readonly baseUrl: string;
  /** The address for prices, on another host than the queue. */
  readonly apiUrl: string;
  readonly key: string | undefined;
}

/**
 * Makes media with the queue of fal, which accepts no id of ours, so there is no look-up. A submission whose answer is
 * lost stays unknown until the job's deadline.
 */
export class FalMediaProvider extends HttpMediaProvider {
  readonly pollMs = 1_000;
  /** Prices come from a different host than the queue. */
  private readonly platform: ProviderHttp;

  constructor(access: FalAccess) {
    const common = { name: 'fal', headers: () => ({ authorization: `Key ${access.key ?? ''}` }) };
    super({ ...common, baseUrl: access.baseUrl });
    this.platform = new ProviderHttp({ ...common, baseUrl: access.apiUrl });
  }

  protected async begin(request: MediaRequest, signal: AbortSignal): Promise<string> {
    const json = toInput(request, await sourcesOf(request, dataUriOf));
    const answer = await this.http.json({ method: 'POST', path: toPath(request), json, signal });
    return toProviderRef(answer, request.model, this.http.base);
  }

  protected async stateOf(providerRef: string, signal: AbortSignal): Promise<OperationStatus> {
    const status = toStatus(await this.get(`${providerRef}/status?logs=1`, signal));
    return status.state === 'completed' ? this.result(providerRef, signal) : status;
  }

  override async stop(providerRef: string, _model: string, signal: AbortSignal): Promise<void> {
    await this.askToCancel(providerRef, signal);
  }

  override cancel(providerRef: string, _model: string, signal: AbortSignal): Promise<Cancellation> {
    const stateNow = async (): Promise<BillingState> =>
      toBillingState(await this.get(`${providerRef}/status`, signal));
    const cancel = async (): Promise<BillingState> =>
      isRemoved(await this.askToCancel(providerRef, signal)) ? 'dropped' : 'waiting';
    return cancelWaiting({ stateNow, cancel }, signal);
  }

  override async unitCosts(
    models: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, UnitCost>> {
    const costs = new Map<string, UnitCost>();
    for (let from = 0; from < models.length; from += PRICES_MAX) {
      const ids = models.slice(from, from + PRICES_MAX).join(',');
      const path = `models/pricing?${new URLSearchParams({ endpoint_id: ids }).toString()}`;
      const answer = await this.platform.json({ method: 'GET', path, signal });
      for (const [model, cost] of toUnitCosts(answer)) costs.set(model, cost);
    }
    return costs;
  }

  override async close(): Promise<void> {
    await Promise.all([this.http.close(), this.platform.close()]);
  }

  /** Work whose result fal refuses to return has failed. After any other error, a later poll asks again. */
  private async result(providerRef: string, signal: AbortSignal): Promise<OperationStatus> {
    try {
      return toResult(await this.get(providerRef, signal));
    } catch (error) {
      if (error instanceof ProviderFault && error.outcome === 'refused')
        return { state: 'failed', reason: error.message };
      throw error;
    }
  }

  private askToCancel(providerRef: string, signal: AbortSignal): Promise<unknown> {
    return this.http.json({ method: 'PUT', path: `${providerRef}/cancel`, signal });
  }

  private get(path: string, signal: AbortSignal): Promise<unknown> {
    return this.http.json({ method: 'GET', path, signal, bytesMax: RESULT_BYTES_MAX });
  }
}
