import { isDeepStrictEqual } from 'node:util';

import { Inject, Injectable } from '@nestjs/common';

import { Catalog } from '#models/catalog/catalog';
import type { AnyModel, TextModel } from '#models/catalog/catalog-models';
import { isBelowOne } from '#models/catalog/catalog-file';
import { exportedFile } from '#models/catalog/choices/exported-file';
import {
  type ModelChoice,
  type RouteChoice,
  isSameRoute,
  usedOf,
  withChoice,
} from '#models/catalog/choices/model-choice';
import type { ChoiceChanges } from '#models/catalog/choices/model-choice.repository';
import { ModelChoices } from '#models/catalog/choices/model-choices';
import { modelFacts } from '#models/catalog/choices/model-facts';
import type { AdminHeldPrice, AdminModel } from '#models/catalog/choices/model-facts.dto';
import { baseOf } from '#models/catalog/listed/release-names';
import type { VendorList } from '#models/catalog/listed/vendor-list.entity';
import { OLD_LIST_MS, VendorLists } from '#models/catalog/listed/vendor-lists';
import { OffSwitches } from '#models/catalog/off-switches';
import type { PriceSettings } from '#models/catalog/prices.settings';
import {
  type NamedRates,
  type Uncovered,
  pricesIn,
  rateProblems,
  ratesNamed,
  shortUsd,
  uncoveredIn,
} from '#models/catalog/rates';
import type { TokenPrices } from '#models/providers/token-prices';
import { AppError, InvalidRequest, NotFound } from '#kernel/app-error';
import { type Micro, usdText } from '#kernel/money';
import { ifPresent, withoutAbsent } from '#kernel/present';
import { Database, type Queries } from '#platform/database/database';
import { takeOwnerLock } from '#platform/database/owner-lock';
import { SETTINGS } from '#platform/config/settings';
import { groupBy } from '#kernel/maps';
import {
  type AdminModelsAnswer,
  type AdminVendorList,
  type ManyModelsAnswer,
  type ManyModelsPatchBody,
  type ModelPatchBody,
  NAMED_MAX,
} from './admin-models.dto';
import { HeldPriceChanged } from './admin.errors';
import { type Actor, AuditRepository } from './audit.repository';
import type { AdminAction } from './audit-entry.entity';
import { changesText, ratesText } from './change-text';
import { optionOf } from './models-order';

/** The operators' view of all models. One transaction stores a change with all its parts, and its entries in the audit. */
@Injectable()
export class AdminModelsService {
  constructor(
    private readonly db: Database,
    private readonly catalog: Catalog,
    private readonly lists: VendorLists,
    private readonly choices: ModelChoices,
    private readonly switches: OffSwitches,
    private readonly audit: AuditRepository,
    @Inject(SETTINGS) private readonly settings: PriceSettings,
  ) {}

  async list(): Promise<AdminModelsAnswer> {
    const lists = await this.lists.all();
    const { times, over } = this.settings.price.bookMarkup;
    return { models: await this.facts(lists), markup: `${times}/${over}`, lists: lists.map(shownList) };
  }

  async exported(): Promise<object> {
    return exportedFile(this.catalog, await this.choices.all());
  }

  async change(id: string, body: ModelPatchBody, actor: Actor): Promise<AdminModel> {
    const plan = await this.planOf(await this.known(id), body);
    await this.store([plan], actor);
    return (await this.known(plan.id, plan.undone))[0];
  }

  /** Makes one change to many models. A refused one does not stop the others. */
  async changeMany({ ids, ...body }: ManyModelsPatchBody, actor: Actor): Promise<ManyModelsAnswer> {
    const all = linesById(await this.facts(await this.lists.all()));
    const plans: Plan[] = [];
    const problems: { id: string; message: string }[] = [];
    for (const id of new Set(ids)) {
      try {
        plans.push(await this.planOf(linesOf(all, id), body));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        problems.push({ id, message: error.message });
      }
    }
    await this.store(plans, actor);
    const changed = await this.facts(await this.lists.all());
    const lines = linesById(changed);
    const models = plans.flatMap(
      ({ id, undone }) => changed.find(isHeldIn(undone)) ?? lines.get(id)?.[0] ?? [],
    );
    return { models, problems };
  }

  /** Checks a change, and finds out what it consists of. */
  private async planOf(known: Lines, body: ModelPatchBody): Promise<Plan> {
    const { forSale, agree, reason, ...wanted } = body;
    const held = ifPresent(agree ?? undefined, (price) => heldIn(known, price));
    const undone = agree === null ? known.flatMap(({ agreed: prices }) => prices) : [];
    const agreed = await ifPresent(held, (price) =>
      this.lists.modelWith(price.vendor, price.model, ratesNamed(price.rates)),
    );
    const facts = agreed === undefined ? known[0] : afterAgreement(known[0], agreed);
    const changes = this.checked(facts, agreed ?? this.catalog.usual(facts.id), wanted);
    if (forSale !== undefined || Object.keys(changes).length > 0) this.refuseUnnamed(facts);
    return { id: facts.id, held, undone, changes, forSale, reason };
  }

  private async store(plans: readonly Plan[], actor: Actor): Promise<void> {
    await this.db.transaction(async (queries) => {
      // Changes of one model come one after the other, so that the audit has their order. All take the locks in one order.
      for (const plan of plans.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
        await takeOwnerLock(queries, 'model', plan.id);
        await this.storePlan(plan, actor, queries);
      }
    });
    await Promise.all([this.lists.read(), this.choices.read(), this.switches.read()]);
  }

  private async storePlan(
    { id, held, undone, changes, forSale, reason }: Plan,
    actor: Actor,
    queries: Queries,
  ): Promise<void> {
    const note = (action: AdminAction, what: string | undefined): Promise<void> =>
      this.note({ action, subject: `model ${id}`, reason, changes: what }, actor, queries);
    if (held !== undefined) {
      const what = `${held.model} at ${held.vendor}: ${ratesText(ratesNamed(held.rates))}`;
      await note('agree_price', what);
      await this.lists.agreeTo(held.vendor, queries, { model: held.model, rates: ratesNamed(held.rates) });
    }
    for (const { vendor, model, rates: named } of undone) {
      const rates = ratesNamed(named);
      if (!(await this.lists.withdraw(vendor, { model, rates }, queries))) continue;
      await note('agree_price', `undone: ${model} at ${vendor}: ${ratesText(rates)}`);
    }
    const present = await this.choices.of(id, queries);
    const real = Object.fromEntries(
      Object.entries(changes).filter(
        ([name, value]) => !isDeepStrictEqual(value ?? undefined, present[name as keyof ModelChoice]),
      ),
    );
    if (Object.keys(real).length > 0) {
      await note('change_model', changesText(real));
      await this.choices.store(id, real, queries);
    }
    const isOff = await this.switches.isOff('model', id, queries);
    if (forSale === undefined || isOff === (forSale === false)) return;
    const to = forSale === false ? 'off' : 'on';
    await note(`switch_${to}`, undefined);
    await this.switches.store(to, 'model', id, reason, queries);
  }

  /** A release that is not for sale may later be sold under the name of its model, which would not have the change. */
  private refuseUnnamed({ id }: AdminModel): void {
    const name = baseOf({ id });
    if (this.catalog.ids.includes(id) || name === id) return;
    throw new InvalidRequest(
      `${id} is not for sale. Once it is, its name here is ${name}, without the release. Change ${name} then.`,
      { param: 'id' },
    );
  }

  async agreeToList(vendor: string, actor: Actor): Promise<AdminVendorList> {
    const find = async (): Promise<AdminVendorList> => {
      const found = (await this.lists.all()).find((list) => list.vendor === vendor);
      if (found === undefined)
        throw new NotFound('There is no list of such a vendor: GET /v1/admin/models shows them.');
      return shownList(found);
    };
    const { missing } = await find();
    if (missing > 0) {
      await this.db.transaction(async (queries) => {
        await this.note(
          { action: 'agree_price', subject: `list ${vendor}`, changes: `without ${missing} models` },
          actor,
          queries,
        );
        await this.lists.agreeTo(vendor, queries);
      });
      await this.lists.read();
    }
    return find();
  }

  private async facts(lists: readonly VendorList[]): Promise<readonly AdminModel[]> {
    const [off, choices] = await Promise.all([this.switches.all(), this.choices.all()]);
    const { catalog } = this;
    return modelFacts({
      catalog,
      lists,
      patterns: this.lists.choice,
      off,
      choices,
      price: this.settings.price,
    });
  }

  /** The lines of a model. An undone agreement may have given one back its own name. */
  private async known(id: string, undone: readonly AdminHeldPrice[] = []): Promise<Lines> {
    const all = await this.facts(await this.lists.all());
    const [first, ...others] = all.filter(isHeldIn(undone));
    return first === undefined ? linesOf(linesById(all), id) : [first, ...others];
  }

  /** Refuses changes that would not apply, and prices below the cost that the operator does not ask for. */
  private checked(
    { id, isListed, kind, cost, routes, changes: { routes: order } }: AdminModel,
    usual: AnyModel | undefined,
    { markup, rates, belowCost, ...others }: Omit<ModelPatchBody, 'forSale' | 'agree' | 'reason'>,
  ): ChoiceChanges {
    const flags: { private?: boolean; adultsOnly?: boolean } = usual ?? {};
    const changesPrice = markup !== undefined || rates !== undefined;
    const isUndone = [markup, rates, ...Object.values(others)].every(
      (value) => value === undefined || value === null,
    );
    if (this.catalog.isOwnFile && !isListed && !isUndone)
      throw new InvalidRequest(`${id} is a model of CATALOG_FILE. Change the file.`, { param: 'id' });
    if (isListed && kind !== 'text' && (rates ?? null) !== null)
      throw new InvalidRequest(`${id} has no rates of tokens. Its price changes with a markup.`, {
        param: 'rates',
        remedies: [{ param: 'markup' }],
      });
    if ((markup ?? rates ?? null) !== null && !isListed)
      throw new InvalidRequest(
        `${id} has the rates of the catalog. Only models of a vendor's list have a price to change.`,
        {
          param: rates === undefined ? 'markup' : 'rates',
        },
      );
    if (typeof markup === 'string' && rates !== undefined && rates !== null)
      throw new InvalidRequest('Send a markup or rates, not both.', { param: 'markup' });
    if (typeof markup === 'string' && isBelowOne(markup) && belowCost !== true)
      throw belowCostOf(id, 'markup');
    if (rates !== undefined && rates !== null) {
      const texts = ratesNamed(rates as NamedRates);
      const [problem] = Object.entries(rates as NamedRates).flatMap(([name, rate]) =>
        rateProblems(`rates.${name}`, rate),
      );
      if (problem !== undefined) throw new InvalidRequest(`${problem}.`, { param: 'rates' });
      const costs =
        ifPresent(usual, (model) => costsAt(model, others.routes === undefined ? order : others.routes)) ??
        ifPresent(cost, (known) => pricesIn(ratesNamed(known)));
      const [under] = costs === undefined ? [] : uncoveredIn(costs, pricesIn(texts));
      if (belowCost !== true && under !== undefined) throw belowCostOf(id, 'rates', underText(under));
    }
    const unknown = others.routes?.find((route) => !routes.some((known) => isSameRoute(known, route)));
    if (unknown !== undefined)
      throw new InvalidRequest(`${id} has no route ${unknown.provider} ${unknown.model}.`, {
        param: 'routes',
      });
    if (usual !== undefined && usedOf(usual.routes, others.routes ?? []).length === 0)
      throw new InvalidRequest(`${id} needs a vendor. To stop its sale, send forSale: false.`, {
        param: 'routes',
      });
    return {
      ...withoutAbsent({
        ...others,
        // The default is no change.
        private: others.private === (flags.private === true) ? null : others.private,
        adultsOnly: others.adultsOnly === (flags.adultsOnly === true) ? null : others.adultsOnly,
      }),
      // A new price replaces the other kind of price, and its agreement to be below the cost.
      ...(changesPrice
        ? {
            markup: markup ?? null,
            rates: rates === undefined || rates === null ? null : ratesNamed(rates as NamedRates),
            belowCost: belowCost === true && (markup ?? rates ?? null) !== null ? true : null,
          }
        : {}),
    };
  }

  private async note(
    { action, subject, reason, changes }: Note,
    actor: Actor,
    queries: Queries,
  ): Promise<void> {
    const text = [reason, changes].filter((part) => part !== undefined).join(' — ');
    await this.audit.add(
      { action, accountId: '', subject, ...(text === '' ? {} : { reason: text }), ...actor },
      queries,
    );
  }
}

/** Whether a line of the list holds one of these prices. */
const isHeldIn =
  (undone: readonly AdminHeldPrice[]) =>
  ({ held }: AdminModel): boolean =>
    held.some(({ vendor, model }) => undone.some((each) => each.vendor === vendor && each.model === model));

/** The lines of a model: it is for sale at most in the first one. Without a price, each release has its own name. */
type Lines = readonly [AdminModel, ...AdminModel[]];

/** A change of a model that was checked. */
interface Plan {
  readonly id: string;
  readonly held: AdminHeldPrice | undefined;
  readonly undone: readonly AdminHeldPrice[];
  readonly changes: ChoiceChanges;
  readonly forSale: boolean | null | undefined;
  readonly reason: string | undefined;
}

const linesById = (all: readonly AdminModel[]): ReadonlyMap<string, Lines> =>
  groupBy(all, ({ id }) => id) as Map<string, [AdminModel, ...AdminModel[]]>;

const linesOf = (lines: ReadonlyMap<string, Lines>, id: string): Lines => {
  const found = lines.get(id);
  if (found === undefined)
    throw new NotFound('There is no such model here: GET /v1/admin/models lists them.');
  return found;
};

/** The model as it is sold with an agreement: under the name without its release, perhaps with other routes. */
const afterAgreement = (facts: AdminModel, model: TextModel): AdminModel => ({
  ...facts,
  id: model.id,
  routes: model.routes.map(({ provider, model: name }) => ({ provider, model: name })),
});

/** The prices at the dearest vendor that the operator does not leave out. */
const costsAt = (
  model: AnyModel,
  routes: readonly RouteChoice[] | null | undefined,
): TokenPrices | undefined => {
  if (!('rates' in model)) return undefined;
  const { markup: _, ...costs } = withChoice(model, withoutAbsent({ routes: routes ?? undefined })).rates;
  return costs;
};

interface Note {
  readonly action: AdminAction;
  readonly subject: string;
  readonly reason?: string | undefined;
  readonly changes?: string | undefined;
}

const shownList = ({ vendor, readAt, models, problem }: VendorList): AdminVendorList => {
  const missing = models.filter((model) => model.missing !== undefined);
  return withoutAbsent({
    vendor,
    readAt: readAt.toISOString(),
    isOld: models.length > 0 && Date.now() - readAt.getTime() > OLD_LIST_MS,
    problem: problem ?? undefined,
    models: models.filter(({ goneOn }) => goneOn === undefined).length,
    missing: missing.length,
    missingModels: missing.slice(0, NAMED_MAX).map(({ id }) => id),
  });
};

const belowCostOf = (id: string, param: string, why = ''): InvalidRequest =>
  new InvalidRequest(
    `${id} would sell below its cost${why}. To permit that, set belowCost (--below-cost in a terminal).`,
    { param },
  );

const shortOf = (price: Micro): string => shortUsd(usdText(price));

/** The first price that is too low. A price without steps holds for inputs of any length. */
const underText = ({ kind, tokens, cost, price }: Uncovered): string => {
  const [costs, sells] = [cost, price].map((each) => `$${shortOf(each)}`);
  return tokens === 0
    ? `: ${kind} costs ${costs}, and would sell for ${sells}`
    : `: ${kind} above ${tokens} tokens costs ${costs}, and would sell for ${sells}. A price can have steps, ` +
        `such as --${optionOf(kind)} ${shortOf(price)},${shortOf(cost)}@${tokens} in a terminal`;
};

/** The held price that the operator saw. */
const heldIn = (facts: readonly AdminModel[], agreed: AdminHeldPrice): AdminHeldPrice => {
  const found = facts
    .flatMap(({ held }) => held)
    .find(({ vendor, model }) => vendor === agreed.vendor && model === agreed.model);
  if (found === undefined || !isDeepStrictEqual(found.rates, agreed.rates)) throw new HeldPriceChanged();
  return found;
};
