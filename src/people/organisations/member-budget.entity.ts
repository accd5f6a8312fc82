import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import { MicroColumn, TextColumn } from '#platform/database/columns';

/**
 * The most that a member may spend in a month of UTC. The row stays when a member leaves, so a member can't remove the
 * limit by joining again.
 */
@Entity('member_budget')
export class MemberBudget {
  /** Made by `budgetIdOf`. `key_spend` counts the member's spending under this id. */
  @TextColumn({ primary: true }) readonly id: string;
  @MicroColumn() readonly month: Micro;
}
