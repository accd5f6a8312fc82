import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import { UsageQuery } from '#money/credits/credits.dto';
import { daysIn } from '#money/credits/days';
import { micro, microToJson } from '#kernel/money';
import { type Margin, MarginsService } from '#money/margins/margins.service';
import { type ModelMargin, MarginsAnswer } from './admin-margins.dto';
import { OperatorRoute } from './operator-route';

/** Shows operators what each model earns. */
@ApiTags('admin')
@Controller('v1/admin/margins')
export class AdminMarginsController {
  constructor(private readonly margins: MarginsService) {}

  @Get()
  @OperatorRoute({
    summary: 'Charges and costs at vendors, by model and day.',
    description:
      'The revenue is the sum of charges without top-ups and equals the books. Costs follow within a second; those of a ' +
      'medium count on the day on which it was made.',
    operationId: 'adminMargins',
    answer: MarginsAnswer,
    failures: [400],
  })
  async list(@Query() query: UsageQuery): Promise<MarginsAnswer> {
    const { from, to } = daysIn(query.from, query.to, new Date());
    const rows = await this.margins.between(from, to);
    return {
      from,
      to,
      models: modelsOf(rows),
      days: rows.map(({ day, modelId, routes, ...sums }) => ({
        day,
        modelId,
        ...figuresOf(sums),
        routes: routes.map(({ provider, providerModel, calls, unusedCalls, cost, reported }) => ({
          provider,
          model: providerModel,
          calls,
          unusedCalls,
          costMicro: microToJson(cost),
          reportedMicro: microToJson(reported),
        })),
      })),
    };
  }
}

type Sums = Pick<Margin, 'calls' | 'revenue' | 'cost'>;

const figuresOf = ({ calls, revenue, cost }: Sums) => ({
  calls,
  revenueMicro: microToJson(revenue),
  costMicro: microToJson(cost),
  marginMicro: Number(revenue - cost),
});

const modelsOf = (rows: readonly Margin[]): ModelMargin[] => {
  const models = new Map<string, Sums>();
  for (const { modelId, calls, revenue, cost } of rows) {
    const before = models.get(modelId);
    models.set(
      modelId,
      before === undefined ? { calls, revenue, cost } : added(before, { calls, revenue, cost }),
    );
  }
  return [...models]
    .map(([modelId, sums]) => {
      const figures = figuresOf(sums);
      return { modelId, ...figures, status: figures.marginMicro < 0 ? 'below-cost' : 'ok' };
    })
    .sort((a, b) => a.marginMicro - b.marginMicro);
};

const added = (a: Sums, b: Sums): Sums => ({
  calls: a.calls + b.calls,
  revenue: micro(a.revenue + b.revenue),
  cost: micro(a.cost + b.cost),
});
