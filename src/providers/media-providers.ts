import type { AdapterName } from './adapters';
import type { MediaProvider } from './media-provider';

/** The media adapters by name. */
export class MediaProviders {
  private readonly byName: ReadonlyMap<AdapterName, MediaProvider>;

  constructor(adapters: readonly MediaProvider[]) {
    this.byName = new Map(adapters.map((adapter) => [adapter.name, adapter]));
  }

  find(name: AdapterName): MediaProvider | undefined {
    return this.byName.get(name);
  }
}
