import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { OffSwitch, type SwitchKind } from './off-switch.entity';

@Injectable()
export class OffSwitchRepository {
  constructor(@InjectRepository(OffSwitch) private readonly switches: Repository<OffSwitch>) {}

  all(): Promise<OffSwitch[]> {
    return this.switches.find({ order: { kind: 'asc', name: 'asc' } });
  }

  /** A name that is already off keeps its first reason. */
  async off(kind: SwitchKind, name: string, reason: string | undefined): Promise<void> {
    await this.switches.createQueryBuilder().insert().values({ kind, name, reason }).orIgnore().execute();
  }

  async on(kind: SwitchKind, name: string): Promise<void> {
    await this.switches.delete({ kind, name });
  }
}
