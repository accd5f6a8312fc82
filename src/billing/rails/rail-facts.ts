import type { SecurityScheme } from '../../platform/openapi/document';

/** The facts about a rail that other parts need: documents, logs, CORS, and the database. */
export interface RailFacts {
  readonly name: string;
  /** The prefix of its ledger accounts; absent if the money is not with us. */
  readonly accounts?: string;
  /** The headers that carry its credential, in lower case; the first present one counts. */
  readonly headers: readonly string[];
  /** The form of its secrets in a text, as (kept)(kept)the rest. */
  readonly secrets?: readonly RegExp[];
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** Its line in the manifest. */
  readonly manifest: { readonly header: string; readonly account: boolean; readonly discount: string };
}
