import { AmountField, ChoiceField, FlagField, ListField, TextField } from '#platform/http/routes/fields';
import { ROUTINGS } from '#models/providers/routing/route';

export class AdminRoute {
  @TextField({ max: 40 }) readonly provider: string;
  @TextField({ max: 200, about: "The provider's own name of the model." }) readonly model: string;
  @ChoiceField(['closed', 'open', 'half-open', 'paused'], {
    about:
      'The circuit breaker. `open` routes rest, `half-open` ones get one call, `paused` ones hit a rate limit.',
  })
  readonly state: string;
  @AmountField({ about: 'Calls of the last five minutes.' }) readonly calls: number;
  @AmountField({ about: 'Failed calls among them.' }) readonly failures: number;
  @AmountField({ optional: true, about: 'A moving average to the first piece or the answer.' })
  readonly speedMs?: number | undefined;
  @AmountField({ about: 'The seconds for which the vendor still asks us to wait.' })
  readonly pausedSeconds: number;
}

export class AdminRoutedModel {
  @TextField({ max: 100 }) readonly id: string;
  @ChoiceField(ROUTINGS) readonly routing: string;
  @FlagField({ about: 'Whether its last day has passed.' }) readonly isRetired: boolean;
  @ListField(() => AdminRoute, { about: 'The routes whose provider is on, in the order of the catalog.' })
  readonly routes: readonly AdminRoute[];
}

export class AdminRoutesAnswer {
  @ListField(() => AdminRoutedModel) readonly models: readonly AdminRoutedModel[];
}
