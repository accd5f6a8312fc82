import { Entity } from 'typeorm';

import {
  BooleanColumn,
  IntegerColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '../platform/database/columns';

/** The successful calls of an hour to a model by duration, and the failed ones. */
@Entity('model_hour')
export class ModelHour {
  @TimeColumn({ primary: true }) readonly at: Date;
  @TextColumn({ primary: true }) readonly modelId: string;
  @TextColumn({ primary: true }) readonly kind: string;
  /** The bucket of `durations.ts`. */
  @SmallintColumn({ primary: true }) readonly bucket: number;
  @IntegerColumn() readonly done: number;
  @IntegerColumn() readonly failed: number;
  /** Films of that hour may end later. A day after it, none of them is running any more. */
  @BooleanColumn() readonly isFinal: boolean;
}
