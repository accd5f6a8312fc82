import { RATIO } from '#models/catalog/catalog-entries';
import type { RouteChoice } from '#models/catalog/choices/model-choice';
import { RATE_SCHEMA } from '#models/catalog/rates';
import {
  AmountField,
  ChoiceField,
  FlagField,
  ListField,
  ObjectField,
  OnlyKnownNames,
  SchemaField,
  TextField,
  WhenField,
} from '#platform/http/routes/fields';
import { TOKEN_KINDS } from '#models/providers/token-prices';

/** The most missing models of a list that are named. */
export const NAMED_MAX = 50;
const PRICES = { type: 'object', additionalProperties: RATE_SCHEMA };
const RATES = {
  type: 'object',
  required: ['inputUsdPerMtok', 'outputUsdPerMtok'],
  additionalProperties: false,
  properties: Object.fromEntries(TOKEN_KINDS.map((kind) => [`${kind}UsdPerMtok`, RATE_SCHEMA])),
};
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
const ROUTE = {
  type: 'object',
  required: ['provider', 'model'],
  additionalProperties: false,
  properties: {
    provider: { type: 'string', minLength: 1, maxLength: 40 },
    model: { type: 'string', minLength: 1, maxLength: 200 },
    leftOut: { type: 'boolean' },
  },
};
const HELD = {
  type: 'object',
  required: ['vendor', 'model', 'rates'],
  properties: {
    vendor: { type: 'string', maxLength: 40 },
    model: { type: 'string', maxLength: 200 },
    rates: PRICES,
  },
};
const FLAG = orNull({ type: 'boolean' });
const DEFAULT = 'Null restores the default.';

type Prices = Readonly<Record<string, unknown>>;

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

export class AdminModel {
  @TextField({ max: 200 }) readonly id: string;
  @TextField({ max: 200 }) readonly name: string;
  @SchemaField(
    { optional: true, about: 'Further names of the model in calls.' },
    { type: 'array', items: { type: 'string' } },
  )
  readonly aliases?: readonly string[];
  @ChoiceField(['text', 'media', 'audio']) readonly kind: string;
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

export class AdminVendorList {
  @TextField({ max: 40 }) readonly vendor: string;
  @WhenField({ about: 'When it was read. If it has no models, when the vendor first refused to list them.' })
  readonly readAt: string;
  @FlagField({ about: 'Whether it was not read for more than a day. It still decides what is for sale.' })
  readonly isOld: boolean;
  @TextField({ max: 1_000, optional: true, about: 'Why the vendor did not list its models the last time.' })
  readonly problem?: string;
  @AmountField() readonly models: number;
  @AmountField({
    about:
      'Models that its newest list lacks. They stay for sale until it lacks them three times, or an operator agrees.',
  })
  readonly missing: number;
  @SchemaField(
    { about: 'The names of at most 50 of them.' },
    { type: 'array', items: { type: 'string' }, maxItems: NAMED_MAX },
  )
  readonly missingModels: readonly string[];
}

export class AdminModelsAnswer {
  @ListField(() => AdminModel) readonly models: readonly AdminModel[];
  @TextField({ max: 13, about: 'The usual factor from the cost to the price of a model of a list.' })
  readonly markup: string;
  @ListField(() => AdminVendorList, { about: 'The lists of the vendors.' })
  readonly lists: readonly AdminVendorList[];
}

@OnlyKnownNames()
export class ModelPatchBody {
  @SchemaField({ optional: true, about: DEFAULT }, FLAG) readonly forSale?: boolean | null;
  @SchemaField(
    { optional: true, about: `The factor from the cost to the price. ${DEFAULT}`, example: '3/2' },
    orNull({ type: 'string', pattern: RATIO }),
  )
  readonly markup?: string | null;
  @SchemaField(
    { optional: true, about: `The price, in decimal USD of a million tokens. ${DEFAULT}` },
    orNull(RATES),
  )
  readonly rates?: Prices | null;
  @FlagField({ optional: true, about: 'Says that the markup or the rates may be below the cost.' })
  readonly belowCost?: boolean;
  @SchemaField({ optional: true, about: DEFAULT }, FLAG) readonly private?: boolean | null;
  @SchemaField({ optional: true, about: DEFAULT }, FLAG) readonly adultsOnly?: boolean | null;
  @SchemaField(
    {
      optional: true,
      about: `The routes to try first, in this order, then the others. No call goes to a route with \`leftOut: true\`, and the price need not cover its cost. ${DEFAULT}`,
    },
    orNull({ type: 'array', maxItems: 20, items: ROUTE }),
  )
  readonly routes?: readonly RouteChoice[] | null;
  @SchemaField(
    {
      optional: true,
      about: 'The held price to sell at, as the list shows it. Null undoes the agreements of the model.',
    },
    orNull(HELD),
  )
  readonly agree?: AdminHeldPrice | null;
  @TextField({ min: 1, max: 300, optional: true, about: 'The audit keeps this text.' })
  readonly reason?: string;
}

/** The most models that one call changes. */
export const MANY_MAX = 200;

@OnlyKnownNames()
export class ManyModelsPatchBody extends ModelPatchBody {
  @SchemaField(
    { about: 'The ids of the models.' },
    { type: 'array', minItems: 1, maxItems: MANY_MAX, items: { type: 'string', maxLength: 200 } },
  )
  readonly ids: readonly string[];
}

export class AdminModelProblem {
  @TextField({ max: 200 }) readonly id: string;
  @TextField({ max: 1_000, about: 'Why it did not change.' }) readonly message: string;
}

export class ManyModelsAnswer {
  @ListField(() => AdminModel, { about: 'The models, after the change.' })
  readonly models: readonly AdminModel[];
  @ListField(() => AdminModelProblem) readonly problems: readonly AdminModelProblem[];
}
