import { Entity } from 'typeorm';

import {
  BooleanColumn,
  ComputedColumn,
  JsonColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';
import type { MediaRequest, MediaSize } from '../media-provider';

/** Accepted work of the sandbox, as a real provider records it. */
@Entity('sandbox_operation')
export class SandboxOperation {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly reference: string;
  @JsonColumn() readonly request: MediaSize &
    Pick<MediaRequest, 'mode' | 'prompt' | 'seconds' | 'seed' | 'negativePrompt' | 'n'> & {
      /** The names of the additional media of the call, which the picture shows as text. */
      readonly works?: readonly string[];
    };
  @BooleanColumn({ default: false }) readonly cancelled: boolean;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @ComputedColumn(
    'float8',
    (operation) => `(extract(epoch from now() - ${operation}.created_at) * 1000)::float8`,
  )
  readonly ageMs: number;
}
