import type { SecurityScheme } from '../../platform/openapi/document';

/** The facts about a rail that other parts need: documents, logs, CORS, and the database. */
export interface RailFacts {
  readonly name: string;
  /** The prefix of its ledger accounts; absent if we do not hold the money. */
  readonly accounts?: string;
  /** The headers that carry its credential, in lower case. The first one present is used. */
  readonly headers: readonly string[];
  /** The pattern of its secrets in a text. Two groups are kept, and the rest is hidden. */
  readonly secrets?: readonly RegExp[];
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** Its line in the manifest. */
  readonly manifest: { readonly header: string; readonly account: boolean; readonly discount: string };
}
