import {
  ChoiceField,
  FlagField,
  ListField,
  ObjectField,
  SchemaField,
  TextField,
} from '#platform/http/routes/fields';
import { type RateText, RATE_SCHEMA } from '../rates';
import type { RouteChoice } from './model-choice';

export type Prices = Readonly<Record<string, RateText>>;

export const PRICES = { type: 'object', additionalProperties: RATE_SCHEMA };
export const ROUTE = {
  type: 'object',
  required: ['provider', 'model'],
  additionalProperties: false,
  properties: {
    provider: { type: 'string', minLength: 1, maxLength: 40 },
    model: { type: 'string', minLength: 1, maxLength: 200 },
    leftOut: { type: 'boolean' },
  },
};

/** A price of a vendor that is too far from the last one, until an operator agrees. */
export class AdminHeldPrice {
  @TextField({ max: 40 }) readonly vendor: string;
  @TextField({ max: 200, about: "The vendor's own name of the model." }) readonly model: string;
  @SchemaField({ about: 'The price that waits for an agreement.' }, PRICES) readonly rates: Prices;
}

export class AdminModelRoute {
  @TextField({ max: 40 }) readonly provider: string;
  @TextField({ max: 200 }) readonly model: string;
  @SchemaField({ optional: true, about: "The vendor's prices, if the service knows them." }, PRICES)
  readonly cost?: Prices;
  @FlagField({ optional: true, about: "Set if the vendor's list lacks it, so that no call goes there." })
  readonly isGone?: boolean;
  @FlagField({ optional: true, about: 'Set if an operator left it out, so that no call goes there.' })
  readonly isLeftOut?: boolean;
  @TextField({
    max: 2_000,
    optional: true,
    about: 'How it raises the price, in words. Leave it out in `routes`, and the model costs less.',
  })
  readonly raisesPrice?: string;
}

/** The operators' changes of a model. */
export class AdminModelChanges {
  @TextField({ max: 13, optional: true }) readonly markup?: string;
  @SchemaField({ optional: true }, PRICES) readonly rates?: Prices;
  @FlagField({ optional: true }) readonly belowCost?: boolean;
  @FlagField({ optional: true }) readonly private?: boolean;
  @FlagField({ optional: true }) readonly adultsOnly?: boolean;
  @SchemaField({ optional: true }, { type: 'array', items: ROUTE }) readonly routes?: readonly RouteChoice[];
}

/** All that operators see of a model. A model of a vendor that is not for sale has a line of its own. */
export class AdminModel {
  @TextField({ max: 200 }) readonly id: string;
  @TextField({ max: 200 }) readonly name: string;
  @SchemaField(
    { optional: true, about: 'Further names of the model in calls.' },
    { type: 'array', items: { type: 'string' } },
  )
  readonly aliases?: readonly string[];
  @ChoiceField(['text', 'media', 'audio']) readonly kind: 'text' | 'media' | 'audio';
  @TextField({ max: 40, about: 'The provider of the first route.' }) readonly vendor: string;
  @FlagField({ about: "Whether a vendor's list has added it to the catalog." }) readonly isListed: boolean;
  @FlagField() readonly forSale: boolean;
  @TextField({ max: 1_000, optional: true, about: 'Why it is not for sale.' }) readonly why?: string;
  @FlagField({ about: 'Whether an operator switched it off. A switch sells it again.' })
  readonly switchedOff: boolean;
  @TextField({ max: 40, about: 'The unit of the cost and of the price.' }) readonly unit: string;
  @SchemaField(
    {
      optional: true,
      about: 'In decimal USD, by kind of token, or by size. At the dearest route that calls go to.',
    },
    PRICES,
  )
  readonly cost?: Prices;
  @SchemaField({ optional: true, about: 'The same, as callers pay it.' }, PRICES) readonly price?: Prices;
  @FlagField({ optional: true, about: 'Set if any kind of token sells for less than it costs.' })
  readonly isBelowCost?: boolean;
  @SchemaField(
    {
      optional: true,
      about:
        'The price of `/v1/agent/chat`. For a model of the catalog, wallets and channels also pay it by usage.',
    },
    PRICES,
  )
  readonly chatPrice?: Prices;
  @ListField(() => AdminHeldPrice, { about: 'Prices that are too far from the last ones.' })
  readonly held: readonly AdminHeldPrice[];
  @ListField(() => AdminHeldPrice, { about: 'Held prices to which an operator agreed.' })
  readonly agreed: readonly AdminHeldPrice[];
  @ListField(() => AdminModelRoute, {
    about: 'In the order in which calls try them, then those that an operator left out.',
  })
  readonly routes: readonly AdminModelRoute[];
  @FlagField() readonly private: boolean;
  @FlagField() readonly adultsOnly: boolean;
  @ObjectField(() => AdminModelChanges, { about: 'What operators changed.' })
  readonly changes: AdminModelChanges;
}
