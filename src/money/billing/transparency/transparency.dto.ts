import {
  AmountField,
  ListField,
  ObjectField,
  SchemaField,
  TextField,
  WhenField,
  WholeField,
} from '#platform/http/routes/fields';

const HASH_CHARS = 44;

/** The content that a leaf of the log commits to, in the order of RFC 8785. */
export class LogEntryAnswer {
  @AmountField() readonly amountMicro: number;
  @WhenField() readonly at: string;
  @AmountField({ about: "The owner's prepaid balance after it." }) readonly balanceMicro: number;
  @TextField({ max: 200, about: 'Of a ledger entry, or a charge id with how the charge ended.' })
  readonly id: string;
  @TextField({
    max: 20,
    about: '`top_up`, `debit`, `refund`; or the end of a charge: `charged`, `released`, `refunded`.',
  })
  readonly kind: string;
  @TextField({ max: 60, about: 'The account, or the wallet in lower case.' }) readonly owner: string;
  @TextField({
    max: HASH_CHARS,
    about: "The leaf hash of the owner's entry before it, in base64; empty in the first.",
  })
  readonly previous: string;
}

const PATH = { type: 'array', items: { type: 'string' }, maxItems: 64 };

export class EntryProofAnswer {
  @ObjectField(() => LogEntryAnswer) readonly entry: LogEntryAnswer;
  @AmountField() readonly leafIndex: number;
  @SchemaField({ about: 'The inclusion path of RFC 6962, in base64.' }, PATH)
  readonly path: readonly string[];
  @TextField({
    max: HASH_CHARS,
    about: 'In base64. The leaf is SHA-256 over it and the canonical JSON (RFC 8785) of the entry.',
  })
  readonly salt: string;
}

export class InclusionProofAnswer {
  @TextField({
    max: 20_000,
    about: 'A signed note (C2SP tlog-checkpoint), with the cosignatures of witnesses.',
  })
  readonly checkpoint: string;
  @ObjectField(() => LogEntryAnswer) readonly entry: LogEntryAnswer;
  @AmountField() readonly leafIndex: number;
  @SchemaField({ about: 'The inclusion path of RFC 6962, in base64.' }, PATH)
  readonly path: readonly string[];
  @TextField({ max: HASH_CHARS, about: 'In base64.' }) readonly salt: string;
  @AmountField() readonly treeSize: number;
}

const PAGE_DEFAULT = 1_000;
const PAGE_MAX = 10_000;

export class StatementQuery {
  @TextField({
    max: 40,
    optional: true,
    about: 'The first moment of it. Default: the beginning.',
    example: '2026-01-01T00:00:00Z',
  })
  readonly from?: string;
  @TextField({
    max: 40,
    optional: true,
    about: 'The moment before which it ends. Default: now.',
    example: '2026-02-01T00:00:00Z',
  })
  readonly to?: string;
  @WholeField({ min: 1, max: PAGE_MAX, default: PAGE_DEFAULT, optional: true }) readonly limit: number;
  @TextField({ max: 20, optional: true, about: 'The `nextCursor` of the page before.' })
  readonly cursor?: string;
}

export class StatementAnswer {
  @TextField({ max: 60 }) readonly owner: string;
  @AmountField({ about: 'The balance before the first entry of this page.' })
  readonly openingBalanceMicro: number;
  @AmountField({ about: 'The balance after the last entry of this page.' })
  readonly closingBalanceMicro: number;
  @ObjectField(() => EntryProofAnswer, {
    optional: true,
    about:
      'Your entry before the first one of this page. It proves the opening balance. Absent where there is none.',
  })
  readonly before?: EntryProofAnswer;
  @ListField(() => EntryProofAnswer, { about: 'In the order of the log. Each names the one before it.' })
  readonly entries: readonly EntryProofAnswer[];
  @TextField({
    max: 20_000,
    optional: true,
    about: 'The signed tree of all paths. Absent until the first entry is sealed.',
  })
  readonly checkpoint?: string;
  @AmountField() readonly treeSize: number;
  @TextField({
    max: 20,
    optional: true,
    about: 'Send it as `cursor` for the next page; absent on the last page.',
  })
  readonly nextCursor?: string;
}
