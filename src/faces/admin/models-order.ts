import { parseArgs } from 'node:util';

import { similarTo } from '#kernel/nearest';
import { type RateText, namedRates } from '#models/catalog/rates';
import { TOKEN_KINDS, type TokenKind } from '#models/providers/token-prices';
import { validateAs } from '#platform/http/routes/validation';
import { ModelPatchBody } from './admin-models.dto';

export const HELP = `Usage: lamppost-service models [TEXT]
       lamppost-service models COMMAND NAME…
       lamppost-service models routes NAME [ROUTE…] [--without VENDOR]
       lamppost-service models gone VENDOR
       lamppost-service models export

Lists the models of all vendors with cost and price, and why some are not for sale. With a TEXT, it lists only models
whose names contain it. It reads the stored lists of the vendors, so the service must have run.

Commands change models in all processes at once. The operators' audit keeps each change as that of "terminal".
  on, off            Sells the models, or stops selling them.
  price              Sets a price, which needs one of:
    --percent 20             the cost and 20 %
    --input 3 --output 15    USD per million tokens. With a step, --input 3,6@200000 is $6 for inputs above 200,000
                             tokens. --cache-read, --cache-write, --cache-write-1h, --input-image, --input-audio and
                             --output-audio have prices of their own; without one, they keep their default price.
    --default                the usual markup
    --below-cost             permits a price below the cost
  agree              Agrees to a held price of the models. It needs the price as the list shows it:
    --price 20.00/100.00
    --vendor openai          only at this vendor
  routes             Sets the routes to try first, such as "anthropic bedrock", or "anthropic:claude-opus-5" if a
                     vendor has several. All others follow.
    --without router,groq    leaves these vendors out. Their cost then does not raise the price.
    --default                restores the usual routes, the cheapest first.
  gone VENDOR        Agrees that the models are gone which the newest list of the vendor lacks.
  private, public    Marks the models as private in lists of models, or not.
  adults, everyone   Sells the models only to ADULTS_ALLOWED, or to all.
  undo               Undoes all changes and agreements to prices, except on and off.
  export             Prints the models for sale as a CATALOG_FILE.

Options
  --reason TEXT      The audit keeps it.
  --json             For programs: {"models": […], "markup": …, "lists": […]}, or the changed models.

It ends with 1 if it finds no model or a change is refused, and with 2 if a command lacks an argument or an option is
wrong. If the first word is no command, all words are the TEXT.
`;

/** The command line can't be understood. */
export class BadModelsOrder extends Error {}

export type ModelsOrder = { readonly json: boolean } & (
  | { readonly kind: 'help' | 'export' }
  | { readonly kind: 'list'; readonly text: string }
  | { readonly kind: 'gone'; readonly vendor: string }
  | ({ readonly names: readonly string[]; readonly body: ModelPatchBody } & (
      | { readonly kind: 'change' }
      | { readonly kind: 'agree'; readonly price: string; readonly vendor: string | undefined }
      | { readonly kind: 'routes'; readonly routes: readonly string[]; readonly without: readonly string[] }
    ))
);

/** The option for the price of a kind of token: `cacheWrite1h` is `cache-write-1h`. */
export const optionOf = (kind: TokenKind): string =>
  kind.replace(/[A-Z]|\d+h/g, (part) => `-${part.toLowerCase()}`);

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;

const OPTIONS: Readonly<Record<string, typeof TEXT | typeof FLAG>> = {
  help: FLAG,
  json: FLAG,
  reason: TEXT,
  percent: TEXT,
  ...Object.fromEntries(TOKEN_KINDS.map((kind) => [optionOf(kind), TEXT])),
  price: TEXT,
  vendor: TEXT,
  without: TEXT,
  default: FLAG,
  'below-cost': FLAG,
};

/** A value may begin with a minus, as in `--percent -20`. */
const isValue = (text: string | undefined): text is string =>
  text !== undefined && (!text.startsWith('-') || /^-[\d.]/.test(text));

interface Options {
  readonly flags: ReadonlySet<string>;
  readonly texts: Readonly<Record<string, string>>;
  readonly positionals: readonly string[];
}

const optionsOf = (args: readonly string[]): Options => {
  const { tokens } = parseArgs({ args: [...args], options: OPTIONS, strict: false, tokens: true });
  const flags = new Set<string>();
  const texts: Record<string, string> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const known = OPTIONS[name];
    if (known === undefined) {
      const meant = similarTo(name, Object.keys(OPTIONS));
      const hint = meant === undefined ? 'Run it with --help.' : `Did you mean --${meant}?`;
      throw new BadModelsOrder(`There is no option ${rawName}. ${hint}`);
    }
    if (known === FLAG) {
      if (value !== undefined) throw new BadModelsOrder(`${rawName} takes no value.`);
      flags.add(name);
    } else {
      if (inlineValue !== true && !isValue(value)) throw new BadModelsOrder(`${rawName} needs a value.`);
      texts[name] = value ?? '';
    }
  }
  return { flags, texts, positionals };
};

/** A percentage of the cost as a factor: `20` is `12000/10000`, as the operators' page sends it. */
const markupOf = (percent: string): string => {
  const [, sign = '', whole = '', part = ''] = /^(-?)(\d{1,4})(?:\.(\d{1,2}))?$/.exec(percent) ?? [];
  const times = 10_000 + Number(`${sign}${whole}${part.padEnd(2, '0')}`);
  if (whole === '' || times <= 0 || times > 999_999)
    throw new BadModelsOrder(
      `--percent ${percent} is no percentage above -100 and below 9900 with at most two decimals, such as 20 or 12.5.`,
    );
  return `${times}/10000`;
};

const PRICE = 'price needs --percent, or --input and --output, or --default, and only one of them.';

const DECIMAL = /^\d{1,12}(?:\.\d{1,12})?$/;

/** A price with its steps: in `3,6@200000`, the price is 6 if the input has more than 200,000 tokens. */
const rateOf = (option: string, text: string): RateText => {
  const [base = '', ...steps] = text.split(',').map((part) => part.trim());
  const above = steps.map((step) => {
    const [usd = '', tokens = ''] = step.split('@');
    return { usd, tokens: /^[1-9]\d{0,8}$/.test(tokens) ? Number(tokens) : NaN };
  });
  const isGood = [base, ...above.map(({ usd }) => usd)].every((usd) => DECIMAL.test(usd));
  if (!isGood || above.some(({ tokens }) => Number.isNaN(tokens)))
    throw new BadModelsOrder(`--${option} ${text} is no price such as 3, or 3,6@200000 with a step.`);
  return above.length === 0 ? base : { base, above };
};

const priceOf = ({ flags, texts }: Options): ModelPatchBody => {
  const kinds = TOKEN_KINDS.filter((kind) => texts[optionOf(kind)] !== undefined);
  const { percent, input, output } = texts;
  if ([percent !== undefined, kinds.length > 0, flags.has('default')].filter(Boolean).length !== 1)
    throw new BadModelsOrder(PRICE);
  if (flags.has('default')) return { markup: null, rates: null };
  const belowCost = flags.has('below-cost');
  if (percent !== undefined) return { markup: markupOf(percent), belowCost };
  if (input === undefined || output === undefined) throw new BadModelsOrder(PRICE);
  const rates = kinds.map((kind) => [kind, rateOf(optionOf(kind), texts[optionOf(kind)]!)] as const);
  return { rates: namedRates(Object.fromEntries(rates)), belowCost };
};

const CHANGES: Readonly<Record<string, ModelPatchBody>> = {
  on: { forSale: true },
  off: { forSale: false },
  private: { private: true },
  public: { private: false },
  adults: { adultsOnly: true },
  everyone: { adultsOnly: false },
  undo: { markup: null, rates: null, private: null, adultsOnly: null, routes: null, agree: null },
};

/** Commands whose changes need more words than the names of models. */
const OTHERS = ['price', 'agree', 'routes'];
const PRICE_OPTIONS = ['percent', ...TOKEN_KINDS.map(optionOf), 'default', 'below-cost'];

const refuseOthers = ({ flags, texts }: Options, allowed: readonly string[]): void => {
  const given = [...flags, ...Object.keys(texts)];
  const odd = given.find((name) => name !== 'json' && !allowed.includes(name));
  if (odd !== undefined) throw new BadModelsOrder(`--${odd} does not belong to this command.`);
};

/** The operator's order on the command line. */
export const modelsOrder = (args: readonly string[]): ModelsOrder => {
  const options = optionsOf(args);
  const { flags, texts, positionals } = options;
  const { reason } = texts;
  const json = flags.has('json');
  const [command = '', ...names] = positionals;
  if (flags.has('help')) return { kind: 'help', json };
  if (command === 'export' && names.length === 0) {
    refuseOthers(options, []);
    return { kind: 'export', json };
  }
  if (command === 'gone') {
    refuseOthers(options, []);
    const [vendor, ...more] = names;
    if (vendor === undefined || more.length > 0)
      throw new BadModelsOrder('gone needs the name of one vendor.');
    return { kind: 'gone', vendor, json };
  }
  const change = CHANGES[command];
  if (change === undefined && !OTHERS.includes(command)) {
    refuseOthers(options, []);
    return { kind: 'list', text: positionals.join(' '), json };
  }
  if (names.length === 0) throw new BadModelsOrder(`${command} needs the name of a model.`);
  const because = reason === undefined ? {} : { reason };
  if (command === 'agree') {
    refuseOthers(options, ['reason', 'price', 'vendor']);
    const { price, vendor } = texts;
    if (price === undefined) throw new BadModelsOrder('agree needs --price with the held price of the list.');
    return { kind: 'agree', names, price, vendor, body: validateAs(ModelPatchBody, because), json };
  }
  if (command === 'routes') {
    refuseOthers(options, ['reason', 'default', 'without']);
    const [name = '', ...routes] = names;
    const without = texts['without']?.split(',').map((word) => word.trim()) ?? [];
    if (flags.has('default') === routes.length + without.length > 0)
      throw new BadModelsOrder(
        'routes needs the name of a model, and then --without, its first routes or --default.',
      );
    return {
      kind: 'routes',
      names: [name],
      routes,
      without,
      body: validateAs(ModelPatchBody, because),
      json,
    };
  }
  refuseOthers(options, change === undefined ? ['reason', ...PRICE_OPTIONS] : ['reason']);
  const body = { ...(change ?? priceOf(options)), ...because };
  return { kind: 'change', names, body: validateAs(ModelPatchBody, body), json };
};
