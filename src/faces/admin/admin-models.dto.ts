import { RATIO } from '#models/catalog/catalog-entries';
import type { RouteChoice } from '#models/catalog/choices/model-choice';
import { type AdminHeldPrice, AdminModel, PRICES, ROUTE } from '#models/catalog/choices/model-facts.dto';
import { RATE_SCHEMA } from '#models/catalog/rates';
import {
  AmountField,
  FlagField,
  ListField,
  OnlyKnownNames,
  SchemaField,
  TextField,
  WhenField,
} from '#platform/http/routes/fields';
import { TOKEN_KINDS } from '#models/providers/token-prices';

/** The most missing models of a list that are named. */
export const NAMED_MAX = 50;
const RATES = {
  type: 'object',
  required: ['inputUsdPerMtok', 'outputUsdPerMtok'],
  additionalProperties: false,
  properties: Object.fromEntries(TOKEN_KINDS.map((kind) => [`${kind}UsdPerMtok`, RATE_SCHEMA])),
};
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
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
  readonly rates?: Readonly<Record<string, unknown>> | null;
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
