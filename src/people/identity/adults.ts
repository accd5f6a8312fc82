import { Inject, Injectable } from '@nestjs/common';

import { SETTINGS } from '#platform/config/settings';
import type { AdultsSettings } from './adults.settings';
import { AdultsOnly } from './identity.errors';

/** The callers who may use models for adults only. The list may change while the service runs. */
@Injectable()
export class Adults {
  private known: { readonly list: readonly string[]; readonly ids: ReadonlySet<string> } | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: AdultsSettings) {}

  /** `owner` is the account or the wallet that pays. For a payment by x402 it is the paying wallet. */
  require(owner: string, model: string): void {
    if (!this.allowed().has(owner)) throw new AdultsOnly(model);
  }

  private allowed(): ReadonlySet<string> {
    const { adultsAllowed: list } = this.settings;
    if (this.known?.list !== list) this.known = { list, ids: new Set(list) };
    return this.known.ids;
  }
}
