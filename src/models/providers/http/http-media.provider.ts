import { MediaProvider, type MediaRequest, type OperationStatus } from '../media-provider';
import type { ProviderName } from '../provider-name';
import { asLookError, asMediaError } from './provider-fault';
import { ProviderHttp, type ProviderHttpOptions } from './provider-http';

/** Makes media over the API of a vendor. Turns each `ProviderFault` into the error that `MediaProvider` promises. */
export abstract class HttpMediaProvider extends MediaProvider {
  readonly name: ProviderName;
  protected readonly http: ProviderHttp;

  constructor(options: ProviderHttpOptions) {
    super();
    this.name = options.name;
    this.http = new ProviderHttp(options);
  }

  /** Submits the work. Returns the vendor's reference to it. */
  protected abstract begin(request: MediaRequest, signal: AbortSignal): Promise<string>;

  protected abstract stateOf(providerRef: string, signal: AbortSignal): Promise<OperationStatus>;

  async submit(request: MediaRequest, signal: AbortSignal): Promise<{ readonly providerRef: string }> {
    try {
      return { providerRef: await this.begin(request, signal) };
    } catch (error) {
      throw asMediaError(error);
    }
  }

  async status(providerRef: string, _model: string, signal: AbortSignal): Promise<OperationStatus> {
    try {
      return await this.stateOf(providerRef, signal);
    } catch (error) {
      throw asLookError(error);
    }
  }

  override async close(): Promise<void> {
    await this.http.close();
  }
}
