import { Inject, Injectable } from '@nestjs/common';

import { GUIDES } from '#faces/discovery/guides';
import { PublishedGuides } from '#faces/discovery/published-guides';
import { Compressed } from '#platform/http/answers/compressed';
import { isSandboxOn } from '#models/providers/vendors';
import { type ClientFile, ClientFiles } from './client-files';
import { guideHtml, guidesHtml } from './guide-html';
import { type PageHtml, htmlOf } from './page-html';
import { GUIDE_INDEX, type Page } from './pages';
import { PagesNotBuilt } from './console.errors';
import { type CommonSettings, SETTINGS } from '#platform/config/settings';
import type { NetworkSettings } from '#money/networks/networks.settings';
import type { CreditsSettings } from '#money/credits/credits.settings';
import type { ProcessSettings } from '#platform/config/process.settings';
import type { HttpSettings } from '#platform/http/http.settings';

type Ready = Omit<PageHtml, 'html'> & {
  readonly content: Compressed;
  /** The Markdown from which a guide was rendered. If the Markdown has changed, the page is rendered again. */
  readonly text: string | undefined;
};

type SandboxSettings = NetworkSettings & CreditsSettings & CommonSettings;

const sandboxParts = (settings: SandboxSettings): readonly string[] => [
  ...(isSandboxOn(settings) ? ['models'] : []),
  ...(settings.x402.networks.every(({ facilitator }) => facilitator === 'sandbox') ? ['x402'] : []),
  ...(settings.billing.processor === 'sandbox' ? ['cards'] : []),
];

/** The content of the index of guides. All other pages except guides request their content from the API. */
const indexOf = (page: Page): string | undefined =>
  page === GUIDE_INDEX ? guidesHtml(page.title, page.about) : undefined;

/** Renders each page at its first request, and keeps it. */
@Injectable()
export class ReadyPages {
  private files = ClientFiles.read();
  private readonly ready = new Map<string, Ready>();

  constructor(
    private readonly guides: PublishedGuides,
    @Inject(SETTINGS) private readonly settings: SandboxSettings & ProcessSettings & HttpSettings,
  ) {}

  get version(): string | undefined {
    return this.files?.version;
  }

  file(name: string): ClientFile | undefined {
    return this.files?.find(name);
  }

  of(page: Page, signedIn: boolean): Ready {
    if (this.settings.mode === 'development') this.reload();
    if (this.files === undefined) throw new PagesNotBuilt();
    const key = `${page.path} ${signedIn}`;
    const guide = GUIDES.find(({ name }) => page.path === `/guides/${name}`);
    const text = guide && this.guides.text(guide.name);
    const known = this.ready.get(key);
    if (known !== undefined && known.text === text) return known;
    const facts = {
      publicUrl: this.settings.http.publicUrl,
      sandbox: sandboxParts(this.settings),
      takesCards: this.settings.billing.processor !== 'none',
      signedIn,
    };
    const content = guide === undefined ? indexOf(page) : guideHtml(guide, text!);
    const { html, headers } = htmlOf(page, this.files, facts, content);
    const made = { headers, content: new Compressed(Buffer.from(html)), text };
    this.ready.set(key, made);
    return made;
  }

  /** Uses the newest build, during development. */
  private reload(): void {
    const files = ClientFiles.read();
    if (files?.version !== this.files?.version) {
      this.files = files;
      this.ready.clear();
    }
  }
}
