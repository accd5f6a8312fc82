import type { AdapterName } from './adapters';
import type { TextProvider } from './text-provider';

/** The text adapters by name. */
export class TextProviders {
  private readonly byName: ReadonlyMap<AdapterName, TextProvider>;

  constructor(adapters: readonly TextProvider[]) {
    this.byName = new Map(adapters.map((adapter) => [adapter.name, adapter]));
  }

  find(name: AdapterName): TextProvider | undefined {
    return this.byName.get(name);
  }
}
