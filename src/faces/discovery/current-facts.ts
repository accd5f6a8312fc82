import { Inject, Injectable } from '@nestjs/common';

import { Catalog } from '#models/catalog/catalog';
import { LOG_KEYS } from '#money/billing/transparency/log-origin';
import { WEBHOOK_KEYS } from '#notices/webhooks/webhook-signature';
import { Sanctions } from '#people/identity/sanctions';
import { PublishedKeys } from '#platform/config/published-keys';
import { type FactSettings, type Facts, factsOf } from './facts';
import { SETTINGS } from '#platform/config/settings';

/** The facts of this service. They change when an operator switches a model or a provider. */
@Injectable()
export class CurrentFacts {
  private known: { readonly revision: number; readonly facts: Facts } | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: FactSettings,
    private readonly catalog: Catalog,
    private readonly sanctions: Sanctions,
    private readonly keys: PublishedKeys,
  ) {}

  /** Makes a text from the facts at its first use, and again after the facts have changed. */
  written<T>(write: (facts: Facts) => T): () => T {
    let last: { readonly facts: Facts; readonly text: T } | undefined;
    return () => {
      const facts = this.now();
      if (last?.facts !== facts) last = { facts, text: write(facts) };
      return last.text;
    };
  }

  private now(): Facts {
    const { revision } = this.catalog;
    if (this.known?.revision !== revision) {
      const facts = factsOf(
        this.settings,
        this.catalog,
        this.sanctions.knowsRegions,
        this.keys.of(WEBHOOK_KEYS)[0],
        this.keys.of(LOG_KEYS),
      );
      this.known = { revision, facts };
    }
    return this.known.facts;
  }
}
