import { isDeepStrictEqual } from 'node:util';

import { Inject, Injectable, Logger } from '@nestjs/common';

import { Clock } from '#kernel/clock';
import { outsideReason } from '#kernel/outside-failure';
import { Slots } from '#kernel/slots';
import { ScopeModels } from '#people/keys/scope-models';
import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import type { PartySettings } from '#platform/config/party';
import { type CommonSettings, SETTINGS } from '#platform/config/settings';
import { Database, type Queries } from '#platform/database/database';
import { KeptState } from '#platform/database/kept-state';
import { ProviderFault } from '#models/providers/http/provider-fault';
import type { ListedModel } from '#models/providers/models/listed-model';
import { listedModels } from '#models/providers/models/model-list';
import { vendorOf } from '#models/providers/vendors';
import { sellerOf } from '../book/seller';
import { Catalog } from '../catalog';
import type { TextModel } from '../catalog-models';
import { type CatalogSettings, isAutomatic } from '../catalog.settings';
import { isSameRoute } from '../choices/model-choice';
import type { PriceSettings } from '../prices.settings';
import type { RateTexts } from '../rates';
import { lastRatesIn, modelsOfLists, summaryOf } from './listed-models';
import { type Choice, heldNames, idlePatterns, leftOutNames, namesIn } from './listed-names';
import {
  type MakersModels,
  bookSummaries,
  makersModelsOf,
  presentMedia,
  unlistedNames,
  withMedia,
} from './makers-media';
import { offeredModels, withAgreements } from './list-comparison';
import type { VendorList } from './vendor-list.entity';
import { CHANNEL, VendorListRepository } from './vendor-list.repository';

const ASK_EVERY_MS = 3_600_000;
/** A list of this age counts as old. Each list is read every hour. */
export const OLD_LIST_MS = 26 * 3_600_000;
const ASK_MS_MAX = 30_000;
const RETRY_MS_MAX = 900_000;
/** A vendor whose models are for sale since the last start is asked when the start is over. */
const AFTER_START_MS = 2_000;

/**
 * Sells the models in the lists of the vendors, and the media of vendors without a list. Each process asks the vendors and stores their lists, and sells only what
 * is stored, so all processes sell the same. A vendor that does not answer changes nothing.
 */
@Injectable()
export class VendorLists extends KeptState {
  private readonly logger = new Logger('Catalog');
  /** The lists whose models are for sale. */
  private sold?: readonly VendorModels[];
  /** Why vendors did not list their models the last time. */
  private readonly silent = new Map<string, string>();
  /** The models of the catalog that the log last named as not for sale. */
  private reported: readonly string[] = [];
  /** One after the other, because a new model is compared with the stored lists of the other vendors. */
  private readonly storing = new Slots(1);
  /** Aborts the questions to vendors, so that none of them delays the end of the process. */
  private readonly ending = new AbortController();
  /** A task for each vendor, so that only those who do not answer are asked again soon. */
  private readonly asking: readonly BackgroundTask[];
  /** The media models of the vendors, as the book has them. */
  private readonly makers: MakersModels;

  constructor(
    db: Database,
    private readonly catalog: Catalog,
    private readonly scopes: ScopeModels,
    private readonly lists: VendorListRepository,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: CommonSettings & CatalogSettings & PriceSettings,
    background: BackgroundWork,
  ) {
    super(db, CHANNEL, background, 'Reading the lists of models');
    this.makers = makersModelsOf(settings);
    this.asking = this.listers.map((own) =>
      background.task(`Asking ${own.name} for its models`, () => this.askOrFail(own), {
        everyMs: ASK_EVERY_MS,
        pauseMsMax: RETRY_MS_MAX,
      }),
    );
  }

  /** The start does not wait for vendors, but for the lists of the last start. */
  override async onApplicationBootstrap(): Promise<void> {
    if (!isAutomatic(this.settings)) return;
    await super.onApplicationBootstrap();
    for (const line of bookSummaries(this.makers, this.listerNames, this.choice)) this.logger.log(line);
    const known = new Set(this.sold?.map(({ vendor }) => vendor));
    for (const [at, { name }] of this.listers.entries())
      this.asking[at]?.wake(known.has(name) ? AFTER_START_MS : 0);
  }

  override async onApplicationShutdown(): Promise<void> {
    this.ending.abort();
    await Promise.all(this.asking.map((task) => task.stop()));
    await super.onApplicationShutdown();
  }

  /** Asks the vendors again, because their keys may have changed. */
  askAgain(): void {
    for (const task of this.asking) task.wake();
  }

  /** Asks every vendor. Returns the errors. */
  async ask(): Promise<readonly Error[]> {
    const failures: Error[] = [];
    await Promise.all(
      this.listers.map((own) => this.askOrFail(own).catch((error: Error) => failures.push(error))),
    );
    return failures;
  }

  private async askOrFail(own: PartySettings): Promise<void> {
    const begun = performance.now();
    try {
      await this.askOne(own);
      this.silent.delete(own.name);
    } catch (cause) {
      const why = this.ending.signal.aborted ? undefined : listProblem(cause);
      if (why !== undefined) {
        this.silent.set(own.name, why);
        await this.lists.fail(own.name, why, performance.now() - begun);
      }
      throw new Error(`${own.name} does not list its models`, { cause });
    } finally {
      // A reading after an earlier change may have failed.
      await this.read();
      this.report();
    }
  }

  /** Logs what the lists do not have, once after each change. */
  private report(): void {
    const { catalog, sold = [] } = this;
    const isWhole = this.listers.every(({ name }) => sold.some(({ vendor }) => vendor === name));
    const problems = [
      ...[...this.silent].map(
        ([vendor, why]) =>
          `${vendor} does not list its models: ${why}. ${
            sold.some((list) => list.vendor === vendor)
              ? 'Its last list stays.'
              : 'It never listed its models.'
          }`,
      ),
      ...catalog.gone.map((model) => `Not for sale, because no vendor has it: ${model}`),
      ...(isWhole ? idlePatterns(this.choice, [...sold, ...this.unlisted]) : []).map(
        (pattern) => `CATALOG_ONLY or CATALOG_WITHOUT: no vendor lists a model like ${pattern}`,
      ),
    ];
    for (const problem of problems) if (!this.reported.includes(problem)) this.logger.warn(problem);
    this.reported = problems;
  }

  private async askOne(own: PartySettings): Promise<void> {
    const list = vendorOf(own).models?.(own);
    if (list === undefined) return;
    const signal = AbortSignal.any([this.ending.signal, AbortSignal.timeout(ASK_MS_MAX)]);
    const listed = await listedModels(list, signal);
    await this.storing.run(() => this.store(own, listed));
  }

  private async store(own: PartySettings, listed: readonly ListedModel[]): Promise<void> {
    const version = await this.lists.versionOf(own.name);
    const stored = await this.stored();
    const before = stored.find(({ vendor }) => vendor === own.name)?.models ?? [];
    const others = stored.filter(({ vendor }) => vendor !== own.name);
    const marked = withMedia(own.name, listed);
    // Rows that an earlier release stored have no marks, although their models are for sale now.
    const known = withMedia(own.name, before);
    const models = offeredModels(sellerOf(own), marked, known, this.clock.now(), others);
    // Most lists are as they were. Writing thousands of models takes longer than comparing them.
    if (isDeepStrictEqual(models, before)) return this.lists.confirm(own.name);
    const isNew = await this.lists.store(own.name, models, version);
    if (isNew === undefined) return this.store(own, listed);
    const isOwn = (id: string): boolean => this.catalog.isOwn(id);
    if (isNew) this.logger.log(summaryOf(own.name, models, this.choice, isOwn));
  }

  /** The stored lists of the vendors that are asked, for operators. */
  all(): Promise<readonly VendorList[]> {
    return this.stored();
  }

  /**
   * Stores the agreement to a held price, or to a list without the missing models. All processes are notified at the end
   * of the transaction.
   */
  agreeTo(vendor: string, queries: Queries, price?: { model: string; rates: RateTexts }): Promise<void> {
    return this.lists.agree(vendor, price ?? { model: '' }, queries);
  }

  /** Undoes an agreement to a held price. False if it is no longer there. */
  withdraw(vendor: string, price: { model: string; rates: RateTexts }, queries: Queries): Promise<boolean> {
    return this.lists.withdraw(vendor, price, queries);
  }

  /** The model that would be sold if an operator agreed to a held price. */
  async modelWith(vendor: string, model: string, rates: RateTexts): Promise<TextModel | undefined> {
    const agreed = { prices: new Map([[model, { rates, at: this.clock.now() }]]) };
    const lists = (await this.stored()).map((list) =>
      list.vendor === vendor ? { ...list, models: withAgreements(list.models, agreed) } : list,
    );
    return modelsOfLists(lists, this.choice, this.settings.price.bookMarkup).find(({ routes }) =>
      routes.some((route) => isSameRoute(route, { provider: vendor, model })),
    );
  }

  protected async load(): Promise<void> {
    const lists = (await this.stored()).filter(({ models }) => models.length > 0);
    const sold = lists.map(({ vendor, models }): VendorModels => ({ vendor, models }));
    if (isDeepStrictEqual(sold, this.sold)) return;
    const { bookMarkup } = this.settings.price;
    this.catalog.offer({
      ...presentMedia(this.makers, lists, this.listerNames, this.choice),
      text: modelsOfLists(lists, this.choice, bookMarkup),
      names: namesIn(lists),
      held: heldNames(lists, this.choice),
      leftOut: leftOutNames(lists, this.choice, this.catalog.ownAliases),
      lastRates: lastRatesIn(lists, this.choice, bookMarkup),
    });
    this.sold = sold;
    this.scopes.use(this.catalog.ids);
  }

  private async stored(): Promise<readonly VendorList[]> {
    return storedOf(this.settings, await this.lists.all());
  }

  get choice(): Choice {
    return choiceIn(this.settings);
  }

  private get listers(): readonly PartySettings[] {
    return listersIn(this.settings);
  }

  private get listerNames(): ReadonlySet<string> {
    return new Set(this.listers.map(({ name }) => name));
  }

  /** The names of models at vendors without a list. */
  private get unlisted(): readonly VendorModels[] {
    return unlistedNames(this.makers, this.listerNames);
  }
}

/** Why a vendor does not list its models. Undefined if the reason is not the vendor. */
export const listProblem = (error: unknown): string | undefined => {
  if (!(error instanceof ProviderFault)) return undefined;
  const { status, message, outcome } = error;
  if (status === 401 || status === 403) return `the vendor refused the key (${status})`;
  // A list has no mistake of a caller. Google reports a bad key as one.
  return status === 400 && outcome === 'not-accepted'
    ? 'the vendor refused the key or the account (400)'
    : (outsideReason(error) ?? message);
};

type VendorModels = Pick<VendorList, 'vendor' | 'models'>;
type ListSettings = CommonSettings & CatalogSettings;

/** The operator's patterns. */
const choiceIn = ({ catalogOnly: only, catalogWithout: without }: ListSettings): Choice => ({
  only,
  without,
});

/** The providers whose models are sold by their lists. */
const listersIn = (settings: ListSettings): readonly PartySettings[] =>
  isAutomatic(settings)
    ? settings.providers.filter((own) => own.isOn && vendorOf(own).models !== undefined)
    : [];

/** The stored lists of the vendors that are asked. */
const storedOf = (settings: ListSettings, lists: readonly VendorList[]): readonly VendorList[] => {
  const listers = new Set(listersIn(settings).map(({ name }) => name));
  return lists.filter(({ vendor }) => listers.has(vendor));
};
