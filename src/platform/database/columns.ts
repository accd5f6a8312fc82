import { Column, type ColumnOptions, type ColumnType, type ValueTransformer, VirtualColumn } from 'typeorm';

import { microFromText } from '#kernel/money';
import { ifPresent, present } from '#kernel/present';

/** The declaration of a column besides its type. The default name is the property's name in snake case. */
type Facts = Pick<ColumnOptions, 'default' | 'name' | 'nullable' | 'primary' | 'select'>;

interface Kind {
  readonly type: ColumnType;
  readonly suffix?: string;
  readonly array?: true;
  /** Converts a value of the driver; it is never called with null. */
  readonly from?: (value: never) => unknown;
}

/** `ownerId` is the column `owner_id`. */
const inSnakeCase = (property: string): string =>
  property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Converts null to undefined. */
const absent = (from: Kind['from'] = (value: unknown) => value): ValueTransformer => ({
  to: (value: unknown) => value,
  from: (value: unknown) => ifPresent(present(value), (there) => from(there as never)),
});

const column =
  ({ type, suffix = '', array, from }: Kind) =>
  (facts: Facts = {}): PropertyDecorator =>
  (entity, property) =>
    Column({
      ...facts,
      type,
      array,
      name: facts.name ?? inSnakeCase(String(property)) + suffix,
      transformer: absent(from),
    })(entity, property);

export const TextColumn = column({ type: 'text' });
/** A few texts, as `text[]`. */
export const ListColumn = column({ type: 'text', array: true });
export const BooleanColumn = column({ type: 'boolean' });
export const SmallintColumn = column({ type: 'smallint' });
export const IntegerColumn = column({ type: 'integer' });
/** A few sizes in bytes, as `integer[]`. */
export const LengthsColumn = column({ type: 'integer', array: true });
export const BytesColumn = column({ type: 'bytea' });
/** Bytes that the code handles as hex, such as `0x0a`. */
export const HexColumn = column({ type: 'bytea', from: (bytes: Buffer) => `0x${bytes.toString('hex')}` });
export const JsonColumn = column({ type: 'jsonb' });
export const RealColumn = column({ type: 'real' });
/** A day as `2026-01-31`. The driver parses the day as a local midnight, and TypeORM converts that back to the day. */
export const DateColumn = column({
  type: 'date',
  from: (day: Date | string) => (typeof day === 'string' ? day : day.toLocaleDateString('sv')),
});
/** A row that was stored as JSON contains the time as a text. */
export const TimeColumn = column({
  type: 'timestamp with time zone',
  from: (time: Date | string) => (typeof time === 'string' ? new Date(time) : time),
});

/** Postgres returns bigint as text, because a number would lose the last digits. */
export const BigintColumn = column({ type: 'bigint', from: BigInt });
/** For values far below 2^53, such as a count or a size in bytes. */
export const CountColumn = column({ type: 'bigint', from: Number });
/** Money: `amount` is the column `amount_micro`. */
export const MicroColumn = column({ type: 'bigint', suffix: '_micro', from: microFromText });

/** Not stored: Postgres computes the value each time the row is read. `sql` gets the name of the table. */
export const ComputedColumn =
  (type: ColumnType, sql: (table: string) => string): PropertyDecorator =>
  (entity, property) =>
    VirtualColumn({ type, query: sql, transformer: absent() })(entity, property);
