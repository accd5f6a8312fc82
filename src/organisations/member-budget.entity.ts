import { Entity } from 'typeorm';

import type { Micro } from '../kernel/money';
import { MicroColumn, TextColumn } from '../platform/database/columns';

/** The most that a member may spend in a month of UTC. It stays when a member leaves, so that joining again does not lift it. */
@Entity('member_budget')
export class MemberBudget {
  /** Made by `budgetIdOf`. `key_spend` counts the member's calls under it. */
  @TextColumn({ primary: true }) readonly id: string;
  @MicroColumn() readonly month: Micro;
}
