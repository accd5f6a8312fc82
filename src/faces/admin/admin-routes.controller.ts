import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import { Catalog } from '#models/catalog/catalog';
import { type ProviderRoute, isRetired } from '#models/providers/routing/route';
import { RouteRecords } from '#models/providers/routing/route-records';
import { type AdminRoute, AdminRoutesAnswer } from './admin-routes.dto';
import { OperatorRoute } from './operator-route';

/** Shows operators how each model's routes are chosen. */
@ApiTags('admin')
@Controller('v1/admin/routes')
export class AdminRoutesController {
  constructor(
    private readonly catalog: Catalog,
    private readonly records: RouteRecords,
  ) {}

  @Get()
  @OperatorRoute({
    summary: 'The routes of each model, with their health.',
    description:
      'Calls, failures and speed are those of the answering process in the last five minutes. A pause after a rate ' +
      'limit applies to all processes.',
    operationId: 'adminListRoutes',
    answer: AdminRoutesAnswer,
  })
  list(): AdminRoutesAnswer {
    const { media, text, audio } = this.catalog.all;
    return {
      models: [...media.values(), ...text.values(), ...audio.values()].map((model) => ({
        id: model.id,
        routing: model.routing ?? 'listed',
        isRetired: isRetired(model, Date.now()),
        routes: model.routes.map((route) => this.shown(route)),
      })),
    };
  }

  private shown(route: ProviderRoute): AdminRoute {
    const health = this.records.of(route);
    const now = Date.now();
    const [speedMs] = (['stream', 'answer', 'submission'] as const).flatMap(
      (work) => health.speedMs(work) ?? [],
    );
    return {
      provider: route.provider,
      model: route.model,
      state: health.state(now),
      ...health.recent(now),
      speedMs: speedMs === undefined ? undefined : Math.round(speedMs),
      pausedSeconds: Math.ceil(health.pausedMs(now) / 1_000),
    };
  }
}
