import { Injectable, Logger } from '@nestjs/common';
import type { QueryResultRow } from 'pg';

import { Database } from '../database/database';
import { DatabaseUnavailable } from '../database/database.errors';
import { IS_DUE, SweepPauses, joinPauses } from './sweep-pause.repository';

/** The due rows of a step of a sweep, and the statement that handles them. Its own values begin at `$2`. */
export interface SweptRows {
  /** The name of the step, in the pauses and in the metric of failing rows. */
  readonly step: string;
  readonly table: string;
  /** The columns that identify a row. */
  readonly key: string;
  /** The condition of a due row. */
  readonly due: string;
  /** The order of the rows, if the oldest come first. */
  readonly order?: string;
  /** Handles the rows whose keys `keys` selects, and returns one row for each. */
  readonly act: (keys: string) => string;
  /** A query with the alias of the table, if the rows are no rows of one table. Its text must identify a row. */
  readonly query?: { readonly text: string; readonly place: string };
}

export const deletedRows = (rows: Omit<SweptRows, 'act'>): SweptRows => ({
  ...rows,
  act: (keys) => `delete from ${rows.table} where (${rows.key}) in (${keys}) returning 1`,
});

/** The most rows that one statement handles. */
const BATCH = 2_000;

/**
 * Handles many due rows in one statement. If that statement fails, it handles each row alone and pauses those that
 * fail, so no number of failing rows holds up another.
 */
@Injectable()
export class SweepRows {
  private readonly logger = new Logger(SweepRows.name);

  constructor(
    private readonly db: Database,
    private readonly pauses: SweepPauses,
  ) {}

  /** Handles all rows that are due. `then` gets what each statement returned. */
  async run<Row extends QueryResultRow>(
    rows: SweptRows,
    values: readonly unknown[] = [],
    then?: (handled: readonly Row[]) => Promise<void> | void,
  ): Promise<void> {
    for (let more = true; more;) {
      const { handled, due } = await this.some<Row>(rows, values);
      await then?.(handled);
      more = due === BATCH;
    }
    await this.pauses.ended(rows.step);
  }

  private async some<Row extends QueryResultRow>(
    rows: SweptRows,
    values: readonly unknown[],
  ): Promise<{ readonly handled: readonly Row[]; readonly due: number }> {
    const { step, key, act } = rows;
    try {
      const text = act(`select ${key} from ${chosen(rows)}${lockOf(rows)}`);
      const handled = await this.db.rows<Row>(text, [BATCH, ...values], step);
      return { handled, due: handled.length };
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      this.logger.warn({ err: error, step }, 'A step of a sweep failed, so it handles each row alone.');
      return this.oneByOne(rows, values);
    }
  }

  private async oneByOne<Row extends QueryResultRow>(
    rows: SweptRows,
    values: readonly unknown[],
  ): Promise<{ readonly handled: readonly Row[]; readonly due: number }> {
    const { step, key, due, act } = rows;
    const list = `select ${placeOf(rows)}::text as place, ${idOf(rows)} as id from ${chosen(rows)}`;
    const found = await this.db.rows<{ place: string; id: string }>(
      list,
      // The server refuses values that a statement does not use.
      list.includes('$2') ? [BATCH, ...values] : [BATCH],
      `${step}-alone`,
    );
    const one = act(
      `select ${key} from ${sourceOf(rows)} where (${due}) and ${placeOf(rows)} = ${rows.query === undefined ? '$1::tid' : '$1::text'}${lockOf(rows)}`,
    );
    const handled: Row[] = [];
    for (const { place, id } of found) {
      try {
        handled.push(...(await this.db.rows<Row>(one, [place, ...values], `${step}-one`)));
      } catch (error) {
        if (error instanceof DatabaseUnavailable) throw error;
        await this.pauses.failed(step, id);
      }
    }
    return { handled, due: found.length };
  }
}

const sourceOf = ({ table, query }: SweptRows): string =>
  query === undefined ? table : `(${query.text}) as ${table}`;
/** Two runs never handle one row at the same time. */
const lockOf = ({ table, query }: SweptRows): string =>
  query === undefined ? ` for update of ${table} skip locked` : '';
const placeOf = ({ table, query }: SweptRows): string => query?.place ?? `${table}.ctid`;
const idOf = ({ key, query }: SweptRows): string => query?.place ?? `concat_ws(' ', ${key})`;

const chosen = (rows: SweptRows): string =>
  `${sourceOf(rows)} ${joinPauses(rows.step, idOf(rows))} where (${rows.due}) and ${IS_DUE}
   ${rows.order === undefined ? '' : `order by ${rows.order} `}limit $1`;
