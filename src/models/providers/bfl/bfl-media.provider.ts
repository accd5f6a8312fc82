import { bytesOf, sourcesOf } from '../http/media-bytes';
import { asLookError, asMediaError } from '../http/provider-fault';
import { ProviderHttp } from '../http/provider-http';
import { MediaProvider, type MediaRequest, type OperationStatus } from '../media-provider';
import { readProviderRef, toInput, toProviderRef, toStatus } from './bfl.wire';

/** The FLUX models of Black Forest Labs. The API accepts no id of ours, and it can't stop work. */
export class BflMediaProvider extends MediaProvider {
  readonly name = 'bfl';
  readonly pollMs = 500;
  private readonly http: ProviderHttp;
  /** The clients for servers in other regions, by host. The vendor may run work there. */
  private readonly regions = new Map<string, ProviderHttp>();

  constructor(private readonly access: { readonly baseUrl: string; readonly key: string | undefined }) {
    super();
    this.http = this.httpAt(access.baseUrl);
  }

  async submit(request: MediaRequest, signal: AbortSignal): Promise<{ readonly providerRef: string }> {
    try {
      const asText = async (input: Parameters<typeof bytesOf>[0]): Promise<string> =>
        (await bytesOf(input)).toString('base64');
      const json = toInput(request, await sourcesOf(request, asText));
      const answer = await this.http.json({ method: 'POST', path: request.model, json, signal });
      return { providerRef: toProviderRef(answer, this.http.base) };
    } catch (error) {
      throw asMediaError(error);
    }
  }

  async status(providerRef: string, _model: string, signal: AbortSignal): Promise<OperationStatus> {
    const { id, host, cost } = readProviderRef(providerRef);
    try {
      const path = `get_result?id=${id}`;
      const status = toStatus(await this.regionAt(host).json({ method: 'GET', path, signal }));
      return status.state === 'done' && cost !== undefined ? { ...status, cost } : status;
    } catch (error) {
      throw asLookError(error);
    }
  }

  override async close(): Promise<void> {
    await Promise.all([this.http, ...this.regions.values()].map((http) => http.close()));
  }

  private regionAt(host: string | undefined): ProviderHttp {
    if (host === undefined) return this.http;
    const known = this.regions.get(host) ?? this.httpAt(`https://${host}${this.http.base.pathname}`);
    this.regions.set(host, known);
    return known;
  }

  private httpAt(baseUrl: string): ProviderHttp {
    return new ProviderHttp({
      name: this.name,
      baseUrl,
      headers: () => ({ 'x-key': this.access.key ?? '' }),
    });
  }
}
