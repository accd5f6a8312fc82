import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { Database, type Queries } from '#platform/database/database';
import { OffSwitch, type SwitchKind } from './off-switch.entity';

export const CHANNEL = 'off_switch';

@Injectable()
export class OffSwitchRepository {
  constructor(
    @InjectRepository(OffSwitch) private readonly switches: Repository<OffSwitch>,
    private readonly db: Database,
  ) {}

  all(): Promise<OffSwitch[]> {
    return this.switches.find({ order: { kind: 'asc', name: 'asc' } });
  }

  async isOff(kind: SwitchKind, name: string, queries: Queries): Promise<boolean> {
    const found = await queries.rows('select 1 from off_switch where kind = $1 and name = $2', [kind, name]);
    return found.length > 0;
  }

  /** A name that is already off keeps its first reason. The statement notifies all processes. */
  async off(
    kind: SwitchKind,
    name: string,
    reason: string | undefined,
    queries: Queries = this.db,
  ): Promise<void> {
    await queries.rows(
      `with switched as (
        insert into off_switch (kind, name, reason) values ($1, $2, $3) on conflict do nothing
      )
      select pg_notify($4, '')`,
      [kind, name, reason, CHANNEL],
    );
  }

  async on(kind: SwitchKind, name: string, queries: Queries = this.db): Promise<void> {
    await queries.rows(
      `with switched as (delete from off_switch where kind = $1 and name = $2) select pg_notify($3, '')`,
      [kind, name, CHANNEL],
    );
  }
}
