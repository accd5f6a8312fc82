import { readSettings } from '../../../settings';
import { numbersFrom } from '../../../../test/support/random';
import { Catalog } from '../catalog';
import { tokensPrice } from '../chat-price-calculator';
import { modelsOfLists } from './listed-models';
import { offeredModels } from './list-comparison';
import type { OfferedModel } from './offered-model';
import { makersIdOf } from './release-names';
import type { VendorList } from './vendor-list.entity';

const RUNS = 400;
const ALL = { only: [], without: [] };
const MARKUP = { times: 1n, over: 1n };
const USAGE = { promptTokens: 1_000, completionTokens: 1_000 };
const TIMES = ['2026-11-28T12:00:00Z', '2026-11-28T13:00:00Z'].map((time) => new Date(time));
const VENDORS = ['openai', 'mistral', 'gemini'];
const RELEASES = ['a-2407', 'a-2411', 'a-2501', 'b-001'];
const NAMES = [...RELEASES, 'a', 'a-latest', 'b'];
/** A list that lost most of its models would keep them for a while. */
const STAYING = NAMES.map((_, index) => ({
  id: `stays${index}x`,
  prices: { input: 1n, output: 1n } as never,
}));

describe('lists with any releases at any vendors', () => {
  const isHere = ({ rates, goneOn }: OfferedModel): boolean => rates !== undefined && goneOn === undefined;

  /** The lists of some vendors, after they changed once. */
  const listsOf = (next: (limit: number) => number): readonly VendorList[] => {
    const read = (vendor: string, before: readonly OfferedModel[], now: Date): VendorList => {
      const listed = NAMES.filter(() => next(3) > 0).map((name) => {
        const price = [1_000_000n, 1_000_000n, 2_000_000n, 30_000_000n][next(4)]!;
        return {
          id: next(3) === 0 ? `${vendor}/${name}` : name,
          makersId: name,
          aliases: next(6) === 0 ? [`fine-${next(2)}`] : undefined,
          prices: { input: price, output: price } as never,
        };
      });
      const models = offeredModels({ providerId: 'x' }, [...listed, ...STAYING], before, now);
      return { vendor, models, readAt: now };
    };
    return TIMES.reduce<readonly VendorList[]>(
      (lists, now) =>
        VENDORS.slice(0, 1 + next(3)).map((vendor) =>
          read(vendor, lists.find((list) => list.vendor === vendor)?.models ?? [], now),
        ),
      [],
    );
  };

  it('lead each release to vendors that have it, under their own names of it, and never below its cost', () => {
    const catalog = new Catalog(readSettings({}));
    let reached = 0;
    for (let run = 1; run <= RUNS; run += 1) {
      const random = numbersFrom(run);
      const next = (limit: number): number => Math.floor(random() * limit);
      const lists = listsOf(next);
      const off = VENDORS.filter(() => next(4) === 0);
      catalog.offer({ text: modelsOfLists(lists, ALL, MARKUP) });
      catalog.sellWithout({ models: new Set(), providers: new Set(off) as never });
      for (const name of RELEASES) {
        const owners = lists.flatMap(({ vendor, models }) =>
          models
            .filter((model) => makersIdOf(model) === name && isHere(model))
            .map(({ id }) => `${vendor}:${id}`),
        );
        const isKnown = catalog.all.text.has(catalog.idOf(name));
        if (!isKnown || catalog.refusalOfName(name) !== undefined) continue;
        const { rates, routes } = catalog.textModel(name);
        reached += routes.length;
        expect(owners).toEqual(
          expect.arrayContaining(routes.map(({ provider, model }) => `${provider}:${model}`)),
        );
        for (const { prices } of routes)
          expect(tokensPrice(rates, USAGE)).toBeGreaterThanOrEqual(tokensPrice(prices!, USAGE));
      }
    }
    expect(reached).toBeGreaterThan(RUNS);
  });
});
