import { Entity } from 'typeorm';

import {
  BooleanColumn,
  IntegerColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '../platform/database/columns';

/** How many calls of an hour to a model ended well within a stretch of time, and how many did not. */
@Entity('model_hour')
export class ModelHour {
  @TimeColumn({ primary: true }) readonly at: Date;
  @TextColumn({ primary: true }) readonly modelId: string;
  @TextColumn({ primary: true }) readonly kind: string;
  /** How long they took, as `durations.ts` counts it. */
  @SmallintColumn({ primary: true }) readonly bucket: number;
  @IntegerColumn() readonly done: number;
  @IntegerColumn() readonly failed: number;
  /** Films of that hour may have ended later; a day after it none runs any more. */
  @BooleanColumn() readonly isFinal: boolean;
}
