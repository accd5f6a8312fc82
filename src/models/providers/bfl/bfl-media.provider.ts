import { getOrMake } from '#kernel/maps';
import { bytesOf, sourcesOf } from '../http/media-bytes';
import { HttpMediaProvider } from '../http/http-media.provider';
import { ProviderHttp, type ProviderHttpOptions } from '../http/provider-http';
import type { MediaInput, MediaRequest, OperationStatus } from '../media-provider';
import { readProviderRef, toInput, toProviderRef, toStatus } from './bfl.wire';

const asText = async (input: MediaInput): Promise<string> => (await bytesOf(input)).toString('base64');

/** The FLUX models of Black Forest Labs. The API accepts no id of ours, and it can't stop work. */
export class BflMediaProvider extends HttpMediaProvider {
  readonly pollMs = 500;
  private readonly options: ProviderHttpOptions;
  /** The clients for servers in other regions, by host. The vendor may run work there. */
  private readonly regions = new Map<string, ProviderHttp>();

  constructor(access: { readonly baseUrl: string; readonly key: string | undefined }) {
    const headers = () => ({ 'x-key': access.key ?? '' });
    const options = { name: 'bfl', baseUrl: access.baseUrl, headers };
    super(options);
    this.options = options;
  }

  protected async begin(request: MediaRequest, signal: AbortSignal): Promise<string> {
    const json = toInput(request, await sourcesOf(request, asText));
    const answer = await this.http.json({ method: 'POST', path: request.model, json, signal });
    return toProviderRef(answer, this.http.base);
  }

  protected async stateOf(providerRef: string, signal: AbortSignal): Promise<OperationStatus> {
    const { id, host, cost } = readProviderRef(providerRef);
    const path = `get_result?id=${id}`;
    const status = toStatus(await this.regionAt(host).json({ method: 'GET', path, signal }));
    return status.state === 'done' && cost !== undefined ? { ...status, cost } : status;
  }

  override async close(): Promise<void> {
    await Promise.all([this.http, ...this.regions.values()].map((http) => http.close()));
  }

  private regionAt(host: string | undefined): ProviderHttp {
    if (host === undefined) return this.http;
    const baseUrl = `https://${host}${this.http.base.pathname}`;
    return getOrMake(this.regions, host, () => new ProviderHttp({ ...this.options, baseUrl }));
  }
}
