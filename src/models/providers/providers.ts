import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

import type { AudioProvider } from './audio-provider';
import type { MediaProvider } from './media-provider';
import type { ProviderName } from './provider-name';
import type { TextProvider } from './text-provider';
import type { Adapters } from './vendor';

/** The adapters of all providers by name. The catalog sells only models of enabled providers. */
@Injectable()
export class Providers implements OnApplicationShutdown {
  constructor(private readonly byName: ReadonlyMap<ProviderName, Adapters>) {}

  get names(): readonly ProviderName[] {
    return [...this.byName.keys()];
  }

  media(name: ProviderName): MediaProvider | undefined {
    return this.byName.get(name)?.media;
  }

  text(name: ProviderName): TextProvider | undefined {
    return this.byName.get(name)?.text;
  }

  audio(name: ProviderName): AudioProvider | undefined {
    return this.byName.get(name)?.audio;
  }

  async onApplicationShutdown(): Promise<void> {
    const adapters = [...this.byName.values()].flatMap(({ media, text, audio }) =>
      [media ?? [], text ?? [], audio ?? []].flat(),
    );
    await Promise.all(adapters.map((adapter) => adapter.close()));
  }
}
