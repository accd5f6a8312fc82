import { Entity } from 'typeorm';

import { TextColumn, TimeColumn } from '#platform/database/columns';

export type SwitchKind = 'model' | 'provider';

/** A model that is not sold, or a provider that gets no new work, until an operator switches it on. */
@Entity('off_switch')
export class OffSwitch {
  @TextColumn({ primary: true }) readonly kind: SwitchKind;
  @TextColumn({ primary: true }) readonly name: string;
  @TextColumn({ nullable: true }) readonly reason?: string;
  @TimeColumn({ default: () => 'now()' }) readonly since: Date;
}
