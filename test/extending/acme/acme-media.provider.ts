import { dataUriOf, sourcesOf } from '#models/providers/http/media-bytes';
import { asLookError, asMediaError } from '#models/providers/http/provider-fault';
import { ProviderHttp } from '#models/providers/http/provider-http';
import { type Lookup, MediaProvider } from '#models/providers/media-provider';
import type { MediaRequest, OperationStatus } from '#models/providers/media-provider';
import { toProviderRef, toStatus, toWork } from './acme.wire';

/** Acme accepts an id of ours and can be asked for it, so a submission with a lost answer is found again. */
export class AcmeMediaProvider extends MediaProvider {
  readonly name = 'acme';
  readonly pollMs = 500;
  private readonly http: ProviderHttp;

  constructor(access: { readonly baseUrl: string; readonly key: string | undefined }) {
    super();
    const headers = () => ({ authorization: `Bearer ${access.key ?? ''}` });
    this.http = new ProviderHttp({ name: this.name, baseUrl: access.baseUrl, headers });
  }

  async submit(request: MediaRequest, signal: AbortSignal): Promise<{ readonly providerRef: string }> {
    try {
      const { image } = await sourcesOf(request, dataUriOf);
      const json = toWork(request, image);
      return {
        providerRef: toProviderRef(await this.http.json({ method: 'POST', path: 'works', json, signal })),
      };
    } catch (error) {
      throw asMediaError(error);
    }
  }

  async status(providerRef: string, _model: string, signal: AbortSignal): Promise<OperationStatus> {
    try {
      return toStatus(await this.http.json({ method: 'GET', path: `works/${providerRef}`, signal }));
    } catch (error) {
      throw asLookError(error);
    }
  }

  override async lookup(ourId: string, _model: string, signal: AbortSignal): Promise<Lookup> {
    try {
      const found = await this.http.json({ method: 'GET', path: `works?client_id=${ourId}`, signal });
      return found === null ? { found: 'nothing' } : { found: 'accepted', providerRef: toProviderRef(found) };
    } catch (error) {
      throw asLookError(error);
    }
  }

  override async close(): Promise<void> {
    await this.http.close();
  }
}
