import {
  ChoiceField,
  FlagField,
  ListField,
  TextField,
  WhenField,
  NoSlipOf,
} from '#platform/http/routes/fields';

export class AdminSwitch {
  @ChoiceField(['model', 'provider']) readonly kind: string;
  @TextField({ max: 100 }) readonly name: string;
  @FlagField({ about: 'Whether it is sold, or gets new work.' }) readonly isOn: boolean;
  @TextField({ max: 500, optional: true, about: 'The reason why it is off.' }) readonly reason?: string;
  @WhenField({ optional: true }) readonly since?: string;
}

export class AdminSwitchesAnswer {
  @ListField(() => AdminSwitch, { about: 'Providers that are set up, and models that can be sold.' })
  readonly switches: readonly AdminSwitch[];
}

@NoSlipOf('reason')
export class SwitchBody {
  @TextField({ min: 1, max: 500, optional: true, about: 'The audit keeps this text.' })
  readonly reason?: string;
}
