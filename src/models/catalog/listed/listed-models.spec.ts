import type { ListedModel } from '#models/providers/models/listed-model';
import { tokensPrice } from '../chat-price-calculator';
import { lastRatesIn, modelsOfLists, summaryOf } from './listed-models';
import { heldNames } from './listed-names';
import { offeredModels, withAgreements } from './list-comparison';
import type { OfferedModel } from './offered-model';
import type { VendorList } from './vendor-list.entity';

const NOW = new Date('2026-11-28T12:00:00Z');
const ALL = { only: [], without: [] };
const MARKUP = { times: 5n, over: 4n };

const offered = (
  providerId: string,
  listed: readonly (string | ListedModel)[],
  before: readonly OfferedModel[] = [],
  now = NOW,
  others: readonly VendorList[] = [],
) =>
  offeredModels(
    { providerId },
    listed.map((each) => (typeof each === 'string' ? { id: each } : each)),
    before,
    now,
    others,
  );
const listOf = (vendor: string, models: readonly OfferedModel[]): VendorList => ({
  vendor,
  models,
  readAt: NOW,
});
const sold = (...lists: readonly VendorList[]) => modelsOfLists(lists, ALL, MARKUP);

describe('the models of a list', () => {
  it('are sold under the name of the maker, with dated names as aliases', () => {
    const models = sold(
      listOf('anthropic', offered('anthropic', ['claude-haiku-4-5-20251001', 'claude-sonnet-5'])),
      listOf('openai', offered('openai', ['gpt-4o', 'gpt-4o-2024-08-06', 'gpt-4o-2024-05-13'])),
    );
    expect(models.map(({ id, aliases, routes }) => [id, aliases, routes.map(({ model }) => model)])).toEqual([
      ['claude-haiku-4-5', ['claude-haiku-4-5-20251001'], ['claude-haiku-4-5-20251001']],
      ['claude-sonnet-5', [], ['claude-sonnet-5']],
      ['gpt-4o', ['gpt-4o-2024-08-06'], ['gpt-4o']],
      // It costs more, so it is another model.
      ['gpt-4o-2024-05-13', [], ['gpt-4o-2024-05-13']],
    ]);
  });

  it('cost the price of the vendor with the markup, and route to the vendor at its own price', () => {
    const [model] = sold(listOf('anthropic', offered('anthropic', ['claude-sonnet-5'])));
    expect(tokensPrice(model!.rates, { promptTokens: 1_000, completionTokens: 100 })).toBe(3_750n);
    expect(tokensPrice(model!.routes[0]!.prices!, { promptTokens: 1_000, completionTokens: 100 })).toBe(
      3_000n,
    );
  });

  describe('with several releases at one price', () => {
    const prices = { input: 1_000_000n, output: 1_000_000n } as never;
    const at = (...ids: string[]) => ids.map((id) => ({ id, prices }));
    const releasesOf = (...lists: readonly VendorList[]) =>
      sold(...lists).map(({ id, aliases, routes, retiresOn, replacedBy }) => ({
        id,
        aliases,
        routes: routes.map(({ provider, model, releases }) => [provider, model, [...(releases ?? [])]]),
        ...(retiresOn === undefined ? {} : { isGone: true, replacedBy }),
      }));

    it('reach each of them at the vendors that have it', () => {
      expect(
        releasesOf(
          listOf('x', offered('x', at('m/a-2407', 'm/a-2411'))),
          listOf('y', offered('y', at('m/a-2411'))),
        ),
      ).toEqual([
        {
          id: 'm/a',
          aliases: ['m/a-2407', 'm/a-2411'],
          routes: [
            [
              'x',
              'm/a-2411',
              [
                ['m/a-2407', 'm/a-2407'],
                ['m/a-2411', 'm/a-2411'],
              ],
            ],
            ['y', 'm/a-2411', [['m/a-2411', 'm/a-2411']]],
          ],
        },
      ]);
    });

    it('reach the one that the vendor says an alias means', () => {
      const [old, newest] = at('a-2407', 'a-2411');
      const models = releasesOf(
        listOf(
          'x',
          offered('x', [
            { ...old!, aliases: ['a-fast', 'a'] },
            { ...newest!, aliases: ['a-fine'] },
          ]),
        ),
      );
      expect(models[0]).toMatchObject({ id: 'a', aliases: ['a-2407', 'a-fast', 'a-2411', 'a-fine'] });
      expect(Object.fromEntries(models[0]!.routes[0]![2] as [string, string][])).toMatchObject({
        'a-fast': 'a-2407',
        'a-fine': 'a-2411',
      });
    });

    it('retire together only on the last day of all of them', () => {
      const [old, newest] = at('a-2407', 'a-2411');
      const lastDayOf = (...days: (string | undefined)[]) =>
        sold(
          listOf(
            'x',
            offered('x', [
              { ...old!, retiresOn: days[0] },
              { ...newest!, retiresOn: days[1] },
            ]),
          ),
        ).map(({ id, retiresOn }) => [id, retiresOn]);
      expect(lastDayOf(undefined, '2027-01-01')).toEqual([['a', undefined]]);
      expect(lastDayOf('2027-06-01', '2027-01-01')).toEqual([['a', '2027-06-01']]);
      expect(lastDayOf('2027-01-01', undefined)).toEqual([['a', undefined]]);
    });

    it('may read as much as the release that reads most', () => {
      const [old, newest] = at('a-2407', 'a-2411');
      const [model] = sold(
        listOf(
          'x',
          offered('x', [
            { ...old!, contextTokens: 1_000_000 },
            { ...newest!, contextTokens: 128_000 },
          ]),
        ),
      );
      expect(model).toMatchObject({ id: 'a', contextTokens: 128_000, inputTokensMax: 1_000_000 });
    });

    it('retire one that left the list, and name the model instead', () => {
      const before = offered('x', at('a-2407', 'a-2411', 'stays'));
      const [plain, gone] = releasesOf(listOf('x', offered('x', at('a-2411', 'stays'), before)));
      expect(plain).toMatchObject({ id: 'a', aliases: ['a-2411'], routes: [['x', 'a-2411', []]] });
      expect(gone).toMatchObject({ id: 'a-2407', isGone: true, replacedBy: 'a' });
    });

    it('retire one that its only vendor lost, though another vendor has the name without a release', () => {
      const before = offered('x', at('a-2405', 'a-2407', 'stays', 'too', 'more'));
      const lost = listOf('x', offered('x', at('stays', 'too', 'more'), before));
      const known = releasesOf(lost, listOf('y', offered('y', at('a', 'a-2405')))).slice(0, 2);
      expect(known).toMatchObject([
        { id: 'a', aliases: ['a-2405'], routes: [['y', 'a', expect.anything()]] },
        { id: 'a-2407', isGone: true, replacedBy: 'a' },
      ]);
    });

    it('do not retire one that another vendor has', () => {
      const before = offered('x', at('a-2407', 'a-2411', 'stays'));
      const models = releasesOf(
        listOf('x', offered('x', at('a-2411', 'stays'), before)),
        listOf('y', offered('y', at('a-2407', 'a-2411'))),
      );
      expect(models.map(({ id }) => id)).toEqual(['a', 'stays']);
      expect(models[0]!.aliases).toContain('a-2407');
    });
  });

  it('have an alias that their vendor took from a model that is gone', () => {
    const prices = { input: 1_000_000n, output: 1_000_000n } as never;
    const stays = { id: 'stays', prices };
    const before = offered('x', [{ id: 'code-1', prices, aliases: ['code', 'code-old'] }, stays]);
    const now = offered('x', [{ id: 'code-2', prices, aliases: ['code'] }, stays], before);
    expect(sold(listOf('x', now)).map(({ id, aliases }) => [id, aliases])).toEqual([
      ['code-1', ['code-old']],
      ['code-2', ['code']],
      ['stays', []],
    ]);
  });

  it('have names without the month and year of a release', () => {
    const models = sold(listOf('gemini', offered('google', ['gemini-2.5-flash-preview-09-2025'])));
    expect(models.map(({ id, aliases }) => [id, aliases])).toEqual([
      ['gemini-2.5-flash-preview', ['gemini-2.5-flash-preview-09-2025']],
    ]);
  });

  it('are replaced by the newest release of the same model, if their maker names nothing else', () => {
    const retiring = { id: 'gpt-4o-2024-05-13', retiresOn: '2027-01-01' };
    const replaced = (...models: Parameters<typeof offered>[1]) =>
      sold(listOf('openai', offered('openai', models))).map(({ id, replacedBy }) => [id, replacedBy]);
    expect(replaced('gpt-4o', retiring)).toEqual([
      ['gpt-4o', undefined],
      [retiring.id, 'gpt-4o'],
    ]);
    expect(replaced('gpt-4o', 'gpt-5', { ...retiring, replacedBy: 'gpt-5' })).toContainEqual([
      retiring.id,
      'gpt-5',
    ]);
    expect(replaced('gpt-4o', 'gpt-4o-2024-05-13')).toContainEqual([retiring.id, undefined]);
  });

  it.each([
    ['claude-opus-4-1', 'claude-opus-5'],
    ['claude-3-haiku', 'claude-haiku-4-5'],
    ['gpt-4.1-mini', 'gpt-5.4-mini'],
    ['deepseek-v3', 'deepseek-v3.2'],
    // The others are other models, older, previews, at another vendor, or retire too.
    ['claude-2.1', undefined],
    ['claude-opus-9', undefined],
    ['gpt-4-0125-preview', undefined],
    ['gpt-4o', undefined],
    ['gemini-2.5-flash', undefined],
    ['grok-3', undefined],
    ['command-1', undefined],
  ])('are replaced by the highest version of the same words at their vendor: %s by %s', (id, instead) => {
    const rates = { input: '1', output: '1' };
    const names = [
      'claude-opus-4-5',
      'claude-opus-5',
      'claude-haiku-4-5-20251001',
      'gpt-5-mini',
      'gpt-5.4-mini',
      'gpt-4-1106-preview',
      'gpt-4o-mini',
      'gemini-3-flash-preview',
      'deepseek-v3.2',
    ];
    const own = listOf('x', [
      { id, rates, goneOn: '2026-11-27' },
      { id: 'command-2', rates, retiresOn: '2027-01-01' },
      ...names.map((name) => ({ id: name, rates })),
    ]);
    const models = sold(own, listOf('y', [{ id: 'grok-4', rates }]));
    expect(models.find((model) => model.id === id)).toMatchObject({
      retiresOn: '2026-11-27',
      replacedBy: instead,
    });
  });

  it('are one model at several vendors, the cheapest one first, at the price of the dearest one', () => {
    const prices = (input: bigint, output: bigint) => ({ input, output }) as never;
    const [model, ...others] = sold(
      listOf(
        'same',
        offered('x', [{ id: 'llama-4', prices: prices(200_000n, 550_000n), contextTokens: 8_000 }]),
      ),
      listOf(
        'dear',
        offered('x', [{ id: 'llama-4', prices: prices(300_000n, 500_000n), contextTokens: 2_000 }]),
      ),
      listOf(
        'cheap',
        offered('x', [{ id: 'llama-4', prices: prices(200_000n, 550_000n), contextTokens: 4_000 }]),
      ),
    );
    expect(others).toEqual([]);
    expect(model).toMatchObject({
      routes: [{ provider: 'same' }, { provider: 'cheap' }, { provider: 'dear' }],
      rates: { input: 300_000n, output: 550_000n, markup: MARKUP },
      contextTokens: 2_000,
      inputTokensMax: 8_000,
    });
  });

  it('are one model at two vendors only if the vendors share a release', () => {
    const models = sold(
      listOf('azure', offered('openai', ['gpt-4o-2024-05-13'])),
      listOf('openai', offered('openai', ['gpt-4o', 'gpt-4o-2024-08-06'])),
      listOf('server', offered('openai', ['gpt-4o-2024-08-06'])),
    );
    expect(models.map(({ id, routes }) => [id, routes.map(({ provider }) => provider)])).toEqual([
      ['gpt-4o', ['openai', 'server']],
      ['gpt-4o-2024-05-13', ['azure']],
    ]);
  });

  const at = (input: bigint) => ({ input, output: 5_000_000n }) as never;
  const routesOf = (...lists: readonly VendorList[]) =>
    sold(...lists).map(({ id, routes }) => [id, routes.map(({ provider, model }) => `${provider}/${model}`)]);
  const HAIKU = 'claude-haiku-4-5';
  const DATED = `${HAIKU}-20251001`;

  it('are one model at a vendor with its dated name and at a vendor with its plain name', () => {
    const anthropic = listOf('anthropic', offered('anthropic', [DATED]));
    const groq = listOf('groq', offered('x', [{ id: HAIKU, prices: at(900_000n) }]));
    expect(sold(anthropic, groq)).toMatchObject([{ id: HAIKU, aliases: [DATED] }]);
    for (const lists of [
      [anthropic, groq],
      [groq, anthropic],
    ])
      expect(routesOf(...lists)).toEqual([[HAIKU, [`groq/${HAIKU}`, `anthropic/${DATED}`]]]);
  });

  it('are not one model if the vendor with the plain name has the dated release at another price', () => {
    expect(
      routesOf(
        listOf('azure', offered('openai', ['gpt-4o-2024-05-13'])),
        listOf('openai', offered('openai', ['gpt-4o', 'gpt-4o-2024-05-13'])),
      ),
    ).toEqual([
      ['gpt-4o', ['openai/gpt-4o']],
      ['gpt-4o-2024-05-13', ['azure/gpt-4o-2024-05-13', 'openai/gpt-4o-2024-05-13']],
    ]);
  });

  it('keep their name at the vendor that had it when a plain name could be either of two releases', () => {
    const others = ['a', 'b'].map((vendor, index) =>
      listOf(vendor, offered('x', [{ id: `llama-4-2025010${index + 1}`, prices: at(300_000n) }])),
    );
    const plain = listOf('c', offered('x', [{ id: 'llama-4', prices: at(200_000n) }]));
    expect(routesOf(...others, plain)).toEqual(routesOf(...others));
  });

  it.each([
    ['below a tenth of', 'llama-4', 19_999n, 'dear'],
    ['above ten times', 'llama-4', 2_000_001n, 'dear'],
    ['above ten times', 'llama-4-20260101', 2_000_001n, 'dear'],
    ['below a tenth of', 'claude-opus-5', 499_999n, 'the book'],
  ])('are held back at a new vendor whose price is %s that of another: %s', (far, id, input, rival) => {
    const prices = { input, output: 25_000_000n } as never;
    const known = { input: 200_000n, output: 25_000_000n } as never;
    const others = [listOf('dear', offered('x', [{ id: 'llama-4', prices: known }]))];
    const [model] = offered('x', [{ id, prices }], [], NOW, others);
    expect(model?.why).toBe(`its price is ${far} that of ${rival}; an operator must agree to it`);
    expect(sold(listOf('new', [model!]))).toEqual([]);
    // It is still new at the next time.
    expect(offered('x', [{ id, prices }], [model!], NOW, others)).toEqual([model]);
  });

  it('are sold at a new vendor whose price is ten times that of another', () => {
    const prices = (input: bigint) => ({ input, output: 1n }) as never;
    const others = [listOf('dear', offered('x', [{ id: 'llama-4', prices: prices(200_000n) }]))];
    for (const input of [20_000n, 2_000_000n])
      expect(
        offered('x', [{ id: 'llama-4', prices: prices(input) }], [], NOW, others)[0]?.rates,
      ).toBeDefined();
  });

  it('follow the patterns of the operator', () => {
    const lists = [
      listOf('anthropic', offered('anthropic', ['claude-opus-5', 'claude-sonnet-5'])),
      listOf('openai', offered('openai', ['gpt-5', 'gpt-5.2'])),
    ];
    const ids = (only: readonly string[], without: readonly string[]) =>
      modelsOfLists(lists, { only, without }, MARKUP).map(({ id }) => id);
    expect(ids(['anthropic/*'], [])).toEqual(['claude-opus-5', 'claude-sonnet-5']);
    expect(ids(['*/gpt-5', 'anthropic/claude-opus-5'], [])).toEqual(['claude-opus-5', 'gpt-5']);
    expect(ids([], ['openai/gpt-5*', '*opus*'])).toEqual(['claude-sonnet-5']);
    expect(ids(['*a*c*5'], [])).toEqual(['claude-opus-5', 'claude-sonnet-5']);
    expect(ids(['*/gpt-5.2*5.2', 'openai/gpt-5*5'], [])).toEqual([]);
    // A regular expression with these stars would take for ever.
    expect(ids([`${'*-'.repeat(40)}x`], [])).toEqual([]);
    const long = 'a'.repeat(99);
    const model = { id: long, rates: { input: '1', output: '1' } };
    expect(
      modelsOfLists([listOf('x', [model])], { only: [`${'*a'.repeat(30)}b`], without: [] }, MARKUP),
    ).toEqual([]);
  });

  it('are not for sale without a price, and the summary says why', () => {
    const models = offered('openai', [
      'gpt-5',
      'gpt-77',
      { id: 'dall-e-3', why: 'it is no model for conversations' },
    ]);
    expect(sold(listOf('openai', models)).map(({ id }) => id)).toEqual(['gpt-5']);
    expect(summaryOf('openai', models, ALL)).toBe(
      'openai: 1 of 3 models for sale; not dall-e-3 (it is no model for conversations); ' +
        'gpt-77 (the book does not have it)',
    );
  });

  it('are not counted as for sale under the name of an own model of the catalog', () => {
    const models = offered('openai', ['gpt-5', 'gpt-4o', 'gpt-4o-2024-08-06', 'gpt-4o-2024-05-13']);
    expect(summaryOf('openai', models, ALL, (name) => name === 'gpt-4o')).toBe(
      'openai: 2 of 4 models for sale; not gpt-4o, gpt-4o-2024-08-06 ' +
        '(the catalog has a model of its own under this name)',
    );
  });

  it('name a replacement only if it is sold', () => {
    const old = { id: 'old', replacedBy: 'claude-opus-5-20260101', rates: { input: '1', output: '1' } };
    const gone = { ...old, id: 'gone', replacedBy: 'nobody\u202esells-this' };
    const opus = offered('anthropic', ['claude-opus-5-20260101']);
    expect(sold(listOf('x', [...opus, old, gone])).map(({ id, replacedBy }) => [id, replacedBy])).toEqual([
      ['claude-opus-5', undefined],
      ['gone', undefined],
      ['old', 'claude-opus-5'],
    ]);
  });

  it('are never sold for nothing', () => {
    const free = { id: 'a/free', prices: { input: 0n, output: 1n } as never };
    expect(offered('openrouter', [free])[0]).toEqual({
      id: 'a/free',
      why: 'its price in the list of the vendor is 0',
    });
    const above = [{ tokens: 9, prices: { input: 0n, output: 1n } }];
    const later = { id: 'a/later', prices: { input: 1n, output: 1n, above } as never };
    expect(offered('openrouter', [later])[0]?.why).toBe('its price in the list of the vendor is 0');
  });

  it('are not sold at a price that is a mistake', () => {
    const at = (input: bigint) => offered('x', [{ id: 'm', prices: { input, output: 1n } as never }]);
    expect(sold(listOf('x', at(1_000_000_000_000n)))[0]?.rates.input).toBe(1_000_000_000_000n);
    expect(at(1_000_000_000_000_001n)).toEqual([
      { id: 'm', why: 'its price in the list of the vendor is above $1,000,000' },
    ]);
  });
});

describe('a list that changes', () => {
  const at = (input: bigint): ListedModel => ({ id: 'm', prices: { input, output: 1_000_000n } as never });
  const FIRST = offered('x', [at(1_000_000n)]);

  it('keeps a model that left it as retired, and sells it again when it comes back', () => {
    const [first, stays] = [...FIRST, ...offered('x', [{ ...at(1n), id: 'stays' }])] as [
      OfferedModel,
      OfferedModel,
    ];
    const gone = offered('x', [{ ...at(1n), id: 'stays' }], [first, stays]).filter(({ id }) => id === 'm');
    expect(gone[0]).toMatchObject({ id: 'm', goneOn: '2026-11-28' });
    expect(sold(listOf('x', gone))[0]).toMatchObject({ id: 'm', retiresOn: '2026-11-28' });
    const later = new Date(NOW.getTime() + 40 * 86_400_000);
    expect(offered('x', [], gone, later)).toMatchObject([{ id: 'm', goneOn: '2026-11-28' }]);
    expect(offered('x', [], gone, new Date(NOW.getTime() + 91 * 86_400_000))).toEqual([]);
    expect(sold(listOf('x', offered('x', [at(1_000_000n)], gone)))[0]?.retiresOn).toBeUndefined();
  });

  it.each([1_000_000n, 2_000_000n])(
    'sells a dated name instead of the plain one as a new list does, at %s micro-USD',
    (input) => {
      const stays = { ...at(1_000_000n), id: 'stays' };
      const before = offered('x', [at(1_000_000n), stays]);
      const listed = [{ ...at(input), id: 'm-20260101' }, stays];
      const other = listOf('y', offered('y', [{ ...at(900_000n), id: 'm-20260101' }]));
      const routes = (models: readonly OfferedModel[]) =>
        sold(listOf('x', models), other).map((each) => [each.id, each.routes]);
      expect(routes(offered('x', listed, before))).toEqual(routes(offered('x', listed)));
    },
  );

  it('changes the price', () => {
    expect(offered('x', [at(10_000_000n)], FIRST)[0]).toMatchObject({ rates: { input: '10.000000' } });
    expect(offered('x', [at(100_000n)], FIRST)[0]).toMatchObject({ rates: { input: '0.100000' } });
  });

  it('keeps the old price when the new one is below a tenth of it', () => {
    const held = offered('x', [at(99_999n)], FIRST);
    expect(held[0]).toMatchObject({ rates: { input: '1.000000' }, held: { input: '0.099999' } });
    expect(offered('x', [at(99_999n)], held)).toEqual(held);
    expect(offered('x', [at(1_000_000n)], held)).toEqual(FIRST);
  });

  it('takes a model off sale when its price rises more than ten times, until it falls', () => {
    const held = offered('x', [at(10_000_001n)], FIRST);
    expect(held[0]).toMatchObject({
      why: expect.stringMatching(/ten times/),
      lastRates: { input: '1.000000' },
    });
    expect(held[0]).not.toHaveProperty('rates');
    expect(offered('x', [at(10_000_001n)], held)).toEqual(held);
    expect(offered('x', [at(2_000_000n)], held)[0]).toMatchObject({ rates: { input: '2.000000' } });
  });
});

describe('the names that are not offered', () => {
  const prices = { input: 1_000_000n, output: 1_000_000n } as never;
  const first = offered('x', [{ id: 'm-2026-01-01', prices }]);
  const namesOf = (listed: ListedModel, before: readonly OfferedModel[]) => [
    ...heldNames([listOf('x', offered('x', [listed], before))], ALL).keys(),
  ];

  it.each([
    ['zero', { prices: { input: 0n, output: 1n } as never }],
    ['negative', { why: 'it has a negative price (prompt: "-1")' }],
  ])('are those of a model that was for sale and whose price is now %s', (_, now) => {
    const listed = { id: 'm-2026-01-01', ...now };
    expect(namesOf(listed, first)).toEqual(['m-2026-01-01', 'm']);
    expect(namesOf(listed, [])).toEqual([]);
  });

  it('are not those of a model that is for sale', () => {
    expect(namesOf({ id: 'm-2026-01-01', prices }, first)).toEqual([]);
  });
});

describe('a list that has a price of another kind of token for the first time', () => {
  const prices = (cacheWrite?: bigint, cacheRead?: bigint) =>
    ({ input: 1_000_000n, output: 1_000_000n, cacheWrite, cacheRead }) as never;
  const first = offered('x', [{ id: 'm', prices: prices() }]);

  it('is compared with the price that these tokens had', () => {
    expect(offered('x', [{ id: 'm', prices: prices(10_000_001n) }], first)[0]?.why).toMatch(/must agree/);
    for (const usual of [prices(10_000_000n), prices(undefined, 10_000n)])
      expect(offered('x', [{ id: 'm', prices: usual }], first)[0]).not.toHaveProperty('held');
  });
});

describe('a model whose last day at its cheapest vendor has passed', () => {
  const listed = (input: bigint, retiresOn?: string): ListedModel => ({
    id: 'm',
    prices: { input, output: input } as never,
    ...(retiresOn === undefined ? {} : { retiresOn }),
  });
  const at = (day: string) =>
    sold(
      listOf('cheap', offered('x', [listed(1_000_000n, '2026-11-29')], [], new Date(day))),
      listOf('dear', offered('y', [listed(3_000_000n)], [], new Date(day))),
    ).map(({ routes, rates, retiresOn }) => [routes.map(({ provider }) => provider), rates.input, retiresOn]);

  it('is sold at the next one, at its price', () => {
    expect(at('2026-11-28T23:59:59Z')).toEqual([[['cheap', 'dear'], 3_000_000n, undefined]]);
    expect(at('2026-11-29T00:00:00Z')).toEqual([[['dear'], 3_000_000n, undefined]]);
  });

  it('is retired if it has no other vendor', () => {
    const models = offered('x', [listed(1_000_000n, '2026-11-28')]);
    expect(sold(listOf('cheap', models))).toMatchObject([{ retiresOn: '2026-11-28' }]);
    expect(summaryOf('cheap', models, ALL)).toBe(
      'cheap: 0 of 1 models for sale; not m (it retired on 2026-11-28)',
    );
  });
});

describe('a list that lacks most of its models', () => {
  const price = { input: 1_000_000n, output: 1_000_000n } as never;
  const named = (...ids: readonly string[]): ListedModel[] => ids.map((id) => ({ id, prices: price }));
  const ALL_MODELS = offered('x', named('a', 'b', 'c'));
  const later = (minutes: number): Date => new Date(NOW.getTime() + minutes * 60_000);
  const ids = (models: readonly OfferedModel[]) =>
    sold(listOf('x', models)).flatMap(({ id, retiresOn }) => (retiresOn ? [] : [id]));

  it('retires them only when it lacks them for the third time, half an hour apart', () => {
    const once = offered('x', named('a'), ALL_MODELS);
    expect(ids(once)).toEqual(['a', 'b', 'c']);
    expect(summaryOf('x', once, ALL)).toBe(
      'x: 3 of 3 models for sale; its list lacks 2 of them, which stay for sale for a while',
    );
    // Another process, or another SIGHUP.
    expect(offered('x', named('a'), once, later(29))).toEqual(once);
    const twice = offered('x', named('a'), once, later(30));
    expect(ids(twice)).toEqual(['a', 'b', 'c']);
    expect(ids(offered('x', named('a'), twice, later(60)))).toEqual(['a']);
    const whole = offered('x', named('a', 'b', 'c'), twice, later(60));
    expect(whole).toEqual(ALL_MODELS);
  });

  it('retires them when an operator agrees, but not those of a later loss', () => {
    const once = offered('x', named('a'), ALL_MODELS);
    const agreed = (at: Date) => withAgreements(once, { prices: new Map(), lossAt: at });
    expect(ids(agreed(later(1)))).toEqual(['a']);
    expect(ids(agreed(later(-1)))).toEqual(['a', 'b', 'c']);
    expect(ids(offered('x', named('a'), agreed(later(1)), later(2)))).toEqual(['a']);
  });

  it('retires them no earlier if it also has new names', () => {
    const listed = named('a', 'd', 'e');
    const once = offered('x', listed, ALL_MODELS);
    expect(offered('x', listed, once, later(1))).toEqual(once);
    const twice = offered('x', listed, once, later(30));
    expect(ids(twice)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(ids(offered('x', listed, twice, later(60)))).toEqual(['a', 'd', 'e']);
    // A model that leaves the list later is no part of the loss.
    expect(ids(offered('x', named('a', 'b', 'c', 'd'), once, later(1)))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is believed at once if it lacks half of them', () => {
    expect(ids(offered('x', named('a', 'b'), offered('x', named('a', 'b', 'c', 'd'))))).toEqual(['a', 'b']);
  });
});

describe('a held price', () => {
  const at = (input: bigint): ListedModel => ({ id: 'm', prices: { input, output: 1_000_000n } as never });
  const FIRST = offered('x', [at(1_000_000n)]);

  it.each<[string, ListedModel]>([
    ['is held', at(10_000_001n)],
    ['is none', { id: 'm', why: 'its price is no number' }],
  ])('does not keep a model from retiring that left the list while its price %s', (_, model) => {
    const unsold = offered('x', [model], FIRST);
    expect(sold(listOf('x', unsold))).toEqual([]);
    const gone = offered('x', [], unsold);
    expect(gone).toEqual([{ ...FIRST[0], goneOn: '2026-11-28' }]);
    expect(sold(listOf('x', gone))).toMatchObject([{ id: 'm', retiresOn: gone[0]!.goneOn }]);
    expect(offered('x', [model], gone)).toEqual(unsold);
  });

  it('leaves each name its own last price, also a name that is that of a release without its day', () => {
    const both = (...inputs: readonly bigint[]) =>
      ['m', 'm-2407'].map((id, index) => ({ ...at(inputs[index]!), id }));
    const unsold = offered('x', both(100_000_000n, 300_000_000n), offered('x', both(1_000_000n, 3_000_000n)));
    const last = lastRatesIn([listOf('x', unsold)], ALL, MARKUP);
    expect(Object.fromEntries([...last].map(([name, { input }]) => [name, input]))).toEqual({
      m: 1_000_000n,
      'm-2407': 3_000_000n,
    });
  });

  const agreedTo = (input: string, time = NOW) => ({
    prices: new Map([['m', { rates: { input, output: '1.000000' }, at: time }]]),
  });

  it.each([
    ['fell', 99_999n, '0.099999'],
    ['rose', 10_000_001n, '10.000001'],
  ])('that %s is the price after an operator agreed to it, and stays it', (_, input, text) => {
    const held = offered('x', [at(input)], FIRST);
    const agreed = withAgreements(held, agreedTo(text));
    expect(agreed).toMatchObject([{ id: 'm', rates: { input: text } }]);
    expect(agreed[0]).not.toHaveProperty('held');
    expect(agreed[0]).not.toHaveProperty('why');
    expect(offered('x', [at(input)], agreed)).toMatchObject([{ rates: { input: text } }]);
    expect(withAgreements(held, agreedTo('3.000000'))).toEqual(held);
    // An agreement of a day before was to an earlier mistake.
    expect(withAgreements(held, agreedTo(text, new Date(NOW.getTime() - 86_400_000)))).toEqual(held);
  });

  it.each([
    ['unsellable', [{ id: 'm', why: 'no text' }]],
    [
      'missing',
      [
        { id: 'other', prices: { input: 1n, output: 1n } as never },
        { ...at(1n), id: 'third' },
      ],
    ],
  ])('is still held after the model was %s for a while', (_, between) => {
    const more = offered('x', [
      { ...at(1n), id: 'third' },
      { ...at(1n), id: 'other' },
    ]);
    for (const before of [FIRST, offered('x', [{ id: 'm', why: 'no text' }], FIRST)]) {
      const gone = offered('x', between, [...before, ...more]);
      expect(offered('x', [at(10_000_001n)], gone).find(({ id }) => id === 'm')?.why).toMatch(/ten times/);
    }
  });
});

describe('the shown name of a model', () => {
  it.each([
    ['Claude Opus 5', 'Claude Opus 5'],
    ['クロード 5', 'クロード 5'],
    // A mark of direction, then characters that nobody sees.
    ['a\u061cb', 'm'],
    ['a\u00adb', 'm'],
    ['a\u034fb', 'm'],
    ['\u115f', 'm'],
    ['a\u180eb', 'm'],
    ['a\u202eb', 'm'],
    ['a\u001b[2Jb', 'm'],
  ])('%j is %j', (name, shown) => {
    const prices = { input: 1_000_000n, output: 1_000_000n } as never;
    expect(sold(listOf('x', offered('x', [{ id: 'm', name, prices }])))[0]?.name).toBe(shown);
  });
});

describe('two thousand models', () => {
  it('are made into a catalog', () => {
    const listed = Array.from({ length: 2_000 }, (_, at) => ({
      id: `maker/model-${at}x`,
      prices: { input: 1_000_000n + BigInt(at), output: 2_000_000n } as never,
    }));
    const stored = JSON.parse(JSON.stringify(offered('openrouter', listed))) as OfferedModel[];
    expect(sold(listOf('openrouter', stored))).toHaveLength(2_000);
  });
});
