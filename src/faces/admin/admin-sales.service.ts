import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Catalog } from '#models/catalog/catalog';
import type { SwitchKind } from '#models/catalog/off-switch.entity';
import { OffSwitches } from '#models/catalog/off-switches';
import { NotFound } from '#kernel/app-error';
import { Database } from '#platform/database/database';
import { providersOn } from '#models/providers/vendors';
import type { AdminSwitch, AdminSwitchesAnswer } from './admin-sales.dto';
import { AuditRepository } from './audit.repository';
import { doneBy } from './operators';
import { type CommonSettings, SETTINGS } from '#platform/config/settings';

interface Named {
  readonly kind: string;
  readonly name: string;
}

/**
 * The switches with which operators enable and disable models and providers. One transaction stores a switch and its entry
 * in the audit.
 */
@Injectable()
export class AdminSalesService {
  constructor(
    private readonly db: Database,
    private readonly catalog: Catalog,
    private readonly switches: OffSwitches,
    private readonly audit: AuditRepository,
    @Inject(SETTINGS) private readonly settings: CommonSettings,
  ) {}

  async list(): Promise<AdminSwitchesAnswer> {
    const off = await this.switches.all();
    const named = (kind: SwitchKind, names: Iterable<string>): AdminSwitch[] =>
      [...names].map((name) => {
        const found = off.find((one) => one.kind === kind && one.name === name);
        return {
          kind,
          name,
          isOn: found === undefined,
          reason: found?.reason,
          since: found?.since.toISOString(),
        };
      });
    const { media, text } = this.catalog.all;
    return {
      switches: [
        ...named('provider', providersOn(this.settings)),
        ...named('model', [...media.keys(), ...text.keys()]),
      ],
    };
  }

  async turn(
    to: 'on' | 'off',
    named: Named,
    reason: string | undefined,
    request: FastifyRequest,
  ): Promise<AdminSwitch> {
    const { kind, name } = await this.known(named);
    const subject = `${kind} ${name}`;
    await this.db.transaction(async (queries) => {
      const entry = { action: `switch_${to}` as const, accountId: '', subject, reason, ...doneBy(request) };
      await this.audit.add(entry, queries);
      await this.switches.store(to, kind as SwitchKind, name, reason, queries);
    });
    await this.switches.read();
    return this.known(named);
  }

  private async known({ kind, name }: Named): Promise<AdminSwitch> {
    const { switches } = await this.list();
    const found = switches.find((one) => one.kind === kind && one.name === name);
    if (found === undefined)
      throw new NotFound('There is no such model or provider here: GET /v1/admin/switches lists them.');
    return found;
  }
}
