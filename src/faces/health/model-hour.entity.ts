import { Entity } from 'typeorm';

import {
  BooleanColumn,
  IntegerColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';

/** The numbers of successful calls of a model in an hour, by duration, and of failed calls. */
@Entity('model_hour')
export class ModelHour {
  @TimeColumn({ primary: true }) readonly at: Date;
  @TextColumn({ primary: true }) readonly modelId: string;
  @TextColumn({ primary: true }) readonly kind: string;
  /** The bucket of `durations.ts`. */
  @SmallintColumn({ primary: true }) readonly bucket: number;
  @IntegerColumn() readonly done: number;
  @IntegerColumn() readonly failed: number;
  /** Whether all work of the hour had ended. Films may end hours later, but none runs longer than a day. */
  @BooleanColumn() readonly isFinal: boolean;
}
