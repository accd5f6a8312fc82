import type { SecurityScheme } from '../../platform/openapi/document';

/** What everybody else must know of a rail: documents, logs, pages of other origins, and the database. */
export interface RailFacts {
  readonly name: string;
  /** What the names of its accounts in the ledger begin with; absent where the money is not with us. */
  readonly accounts?: string;
  /** The headers that carry its credential, in lower case; the first that is there counts. */
  readonly headers: readonly string[];
  /** What its secrets look like in a text, as (what stays)(what stays)the rest. */
  readonly secrets?: readonly RegExp[];
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** Its line in the manifest. */
  readonly manifest: { readonly header: string; readonly account: boolean; readonly discount: string };
}
