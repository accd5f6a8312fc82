import { Column, type ColumnOptions, type ValueTransformer } from 'typeorm';

import { type Micro, microFromText } from '../../kernel/money';

/** Postgres answers bigint as text, because a number would lose the last digits. */
const asMicro: ValueTransformer = {
  to: (value: Micro | null | undefined) => value?.toString(),
  from: (value: string | null) => (value === null ? null : microFromText(value)),
};

/** A column of money. */
export const MicroColumn = (options: Omit<ColumnOptions, 'type' | 'transformer'> = {}): PropertyDecorator =>
  Column({ ...options, type: 'bigint', transformer: asMicro });
