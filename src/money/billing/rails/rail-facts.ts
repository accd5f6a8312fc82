import type { SecurityScheme } from '#platform/openapi/docs';

/** The facts about a rail that other parts need: documents, logs, CORS, and the database. */
export interface RailFacts {
  readonly name: string;
  /** The prefix of the rail's ledger accounts; absent if we do not hold the money. */
  readonly accounts?: string;
  /** The headers that carry the rail's credential, in lower case. The rail uses the first header that is present. */
  readonly headers: readonly string[];
  /** Patterns of the rail's secrets in a text. Logs keep the two groups of a match and hide the other characters. */
  readonly secrets?: readonly RegExp[];
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** The rail's line in the manifest. */
  readonly manifest: { readonly header: string; readonly account: boolean; readonly discount: string };
}
