import { type ParseArgsConfig, parseArgs } from 'node:util';

import { validateAs } from '#platform/http/routes/validation';
import { ModelPatchBody } from './admin-models.dto';

export const HELP = `Usage: lamppost-service models [TEXT]
       lamppost-service models COMMAND NAME…
       lamppost-service models routes NAME ROUTE…
       lamppost-service models export

Lists the models of all vendors with cost and price, and why some are not for sale. With a TEXT, it lists only models
whose names contain it. It reads the stored lists of the vendors, so the service must have run.

Commands change models in all processes at once. The operators' audit keeps each change as that of "terminal".
  on, off            Sells the models, or stops selling them.
  price              Sets a price, which needs one of:
    --percent 20             the cost and 20 %
    --input 3 --output 15    USD per million tokens
    --default                the usual markup
    --below-cost             permits a price below the cost
  agree              Agrees to a held price of the models. It needs the price as the list shows it:
    --price 20.00/100.00
    --vendor openai          only at this vendor
  routes             Sets the routes to try first, such as "anthropic bedrock", or "anthropic:claude-opus-5" if a
                     vendor has several. --default restores the order.
  private, public    Marks the models as private in lists of models, or not.
  adults, everyone   Sells the models only to ADULTS_ALLOWED, or to all.
  undo               Undoes all changes, except on and off.
  export             Prints the models for sale as a CATALOG_FILE.

Options
  --reason TEXT      The audit keeps it.
  --json             For programs: {"models": […]}, or the changed ones.

It ends with 1 if it finds no model or a change is refused, and with 2 if it does not understand the command.
`;

/** The command line can't be understood. */
export class BadModelsOrder extends Error {}

export type ModelsOrder = { readonly json: boolean } & (
  | { readonly kind: 'help' | 'export' }
  | { readonly kind: 'list'; readonly text: string }
  | ({ readonly names: readonly string[]; readonly body: ModelPatchBody } & (
      | { readonly kind: 'change' }
      | { readonly kind: 'agree'; readonly price: string; readonly vendor: string | undefined }
      | { readonly kind: 'routes'; readonly routes: readonly string[] }
    ))
);

const OPTIONS = {
  help: { type: 'boolean' },
  json: { type: 'boolean' },
  reason: { type: 'string' },
  percent: { type: 'string' },
  input: { type: 'string' },
  output: { type: 'string' },
  price: { type: 'string' },
  vendor: { type: 'string' },
  default: { type: 'boolean' },
  'below-cost': { type: 'boolean' },
} as const satisfies ParseArgsConfig['options'];

type Options = ReturnType<typeof optionsOf>['values'];

const optionsOf = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new BadModelsOrder((error as Error).message.replaceAll('\n', ' '));
  }
};

/** A percentage of the cost as a factor: `20` is `12000/10000`, as the operators' page sends it. */
const markupOf = (percent: string): string => {
  const [, sign = '', whole = '', part = ''] = /^(-?)(\d{1,4})(?:\.(\d{1,2}))?$/.exec(percent) ?? [];
  const times = 10_000 + Number(`${sign}${whole}${part.padEnd(2, '0')}`);
  if (whole === '' || times <= 0)
    throw new BadModelsOrder(`--percent ${percent} is no percentage above -100, such as 20 or 12.5.`);
  return `${times}/10000`;
};

const PRICE = 'price needs --percent, or --input and --output, or --default.';

const priceOf = ({ percent, input, output, default: usual, ...options }: Options): ModelPatchBody => {
  const hasRates = input !== undefined || output !== undefined;
  if ([percent !== undefined, hasRates, usual === true].filter(Boolean).length !== 1)
    throw new BadModelsOrder(PRICE);
  if (usual === true) return { markup: null, rates: null };
  const belowCost = options['below-cost'] === true;
  if (percent !== undefined) return { markup: markupOf(percent), belowCost };
  if (input === undefined || output === undefined) throw new BadModelsOrder(PRICE);
  return { rates: { inputUsdPerMtok: input, outputUsdPerMtok: output }, belowCost };
};

const CHANGES: Readonly<Record<string, ModelPatchBody>> = {
  on: { forSale: true },
  off: { forSale: false },
  private: { private: true },
  public: { private: false },
  adults: { adultsOnly: true },
  everyone: { adultsOnly: false },
  undo: { markup: null, rates: null, private: null, adultsOnly: null, routes: null },
};

/** Commands whose changes need more words than the names of models. */
const OTHERS = ['price', 'agree', 'routes'];
const PRICE_OPTIONS = ['percent', 'input', 'output', 'default', 'below-cost'];

const refuseOthers = (options: Options, allowed: readonly string[]): void => {
  const odd = Object.keys(options).find((name) => name !== 'json' && !allowed.includes(name));
  if (odd !== undefined) throw new BadModelsOrder(`--${odd} does not belong to this command.`);
};

/** The operator's order on the command line. */
export const modelsOrder = (args: readonly string[]): ModelsOrder => {
  const { values, positionals } = optionsOf(args);
  const { json = false, help = false, reason } = values;
  const [command = '', ...names] = positionals;
  if (help) return { kind: 'help', json };
  if (command === 'export' && names.length === 0) {
    refuseOthers(values, []);
    return { kind: 'export', json };
  }
  const change = CHANGES[command];
  if (change === undefined && !OTHERS.includes(command)) {
    refuseOthers(values, []);
    return { kind: 'list', text: positionals.join(' '), json };
  }
  if (names.length === 0) throw new BadModelsOrder(`${command} needs the name of a model.`);
  const because = reason === undefined ? {} : { reason };
  if (command === 'agree') {
    refuseOthers(values, ['reason', 'price', 'vendor']);
    const { price, vendor } = values;
    if (price === undefined) throw new BadModelsOrder('agree needs --price with the held price of the list.');
    return { kind: 'agree', names, price, vendor, body: validateAs(ModelPatchBody, because), json };
  }
  if (command === 'routes') {
    refuseOthers(values, ['reason', 'default']);
    const [name = '', ...routes] = names;
    if ((values.default === true) === routes.length > 0)
      throw new BadModelsOrder('routes needs the name of a model, and then its first routes or --default.');
    return { kind: 'routes', names: [name], routes, body: validateAs(ModelPatchBody, because), json };
  }
  refuseOthers(values, change === undefined ? ['reason', ...PRICE_OPTIONS] : ['reason']);
  const body = { ...(change ?? priceOf(values)), ...because };
  return { kind: 'change', names, body: validateAs(ModelPatchBody, body), json };
};
