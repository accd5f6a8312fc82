import { Module } from '@nestjs/common';

import { SETTINGS } from '../platform/config/settings';
import { DatabaseModule } from '../platform/database/database.module';
import { ContentPolicy } from './content-policy';
import { Embedder } from './embedder';
import { makeEmbedder } from './embedding/make-embedder';
import { FalMediaProvider } from './fal/fal-media.provider';
import type { MediaProvider } from './media-provider';
import { MediaProviders } from './media-providers';
import { HeldResults } from './openai/held-result.repository';
import { OpenaiMediaProvider } from './openai/openai-media.provider';
import { OpenaiTextProvider } from './openai/openai-text.provider';
import { makePolicy } from './policy/make-policy';
import { ReplicateMediaProvider } from './replicate/replicate-media.provider';
import { RouteHealth } from './route-health';
import { SandboxMediaProvider } from './sandbox/sandbox-media.provider';
import { SandboxTextProvider } from './sandbox/sandbox-text.provider';
import type { TextProvider } from './text-provider';
import { TextProviders } from './text-providers';

/** One line an adapter. Which of them are on, the catalog decides from the settings. */
const MEDIA = [SandboxMediaProvider, FalMediaProvider, ReplicateMediaProvider, OpenaiMediaProvider];
const TEXT = [SandboxTextProvider, OpenaiTextProvider];

@Module({
  imports: [DatabaseModule],
  providers: [
    ...MEDIA,
    ...TEXT,
    HeldResults,
    RouteHealth,
    { provide: ContentPolicy, inject: [SETTINGS], useFactory: makePolicy },
    { provide: Embedder, inject: [SETTINGS], useFactory: makeEmbedder },
    {
      provide: MediaProviders,
      inject: MEDIA,
      useFactory: (...adapters: MediaProvider[]) => new MediaProviders(adapters),
    },
    {
      provide: TextProviders,
      inject: TEXT,
      useFactory: (...adapters: TextProvider[]) => new TextProviders(adapters),
    },
  ],
  exports: [ContentPolicy, Embedder, MediaProviders, RouteHealth, TextProviders],
})
export class ProvidersModule {}
