import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readSettings } from '../../settings';
import { micro } from '#kernel/money';
import { Catalog } from './catalog';
import type { TextModel } from './catalog-models';
import { lastRatesIn, modelsOfLists } from './listed/listed-models';
import { heldNames, leftOutNames, namesIn } from './listed/listed-names';
import { offeredModels } from './listed/list-comparison';
import type { OfferedModel } from './listed/offered-model';
import { publicMedia } from './public-models';
import { BadCatalog } from './catalog-file';
import defaultCatalog from './default-catalog.json';

const withEnv = (env: Record<string, string>): Catalog => new Catalog(readSettings(env));

describe('the catalog that comes with the service', () => {
  const catalog = withEnv({});

  it('has a model for every mode, with one default each', () => {
    const defaults = [...catalog.media.values()].filter((model) => model.default).map(({ mode }) => mode);

    expect(defaults.sort()).toEqual(['i2i', 'i2v', 'motion', 'swap', 't2i', 't2v']);
    expect(catalog.defaultMedia('t2i')?.id).toBe('ember-image');
    expect(catalog.defaultText?.id).toBe('lumen-flash');
  });

  it('has two that take audio and one that is private', () => {
    const models = [...catalog.media.values()];

    expect(models.filter(({ audio }) => audio)).toHaveLength(2);
    expect(models.filter((model) => model.private).length).toBeGreaterThanOrEqual(1);
  });

  it('is sold as a whole by the sandbox', () => {
    expect(catalog.media.size + catalog.text.size).toBe(
      defaultCatalog.media.length + defaultCatalog.text.length,
    );
  });
});

const listed = (id: string, more: object = {}): TextModel => {
  const rates = { input: micro(1n), output: micro(1n) };
  return { id, name: id, isListed: true, rates, routes: [{ provider: 'openai', model: id }], ...more };
};

describe('an alias of an own model', () => {
  it('gives way to a listed model with this name or this alias', () => {
    const catalog = withEnv({});
    const release = 'claude-sonnet-4-5-20250929';
    expect(catalog.idOf(release)).toBe('lumen-frontier');
    catalog.offer({ text: [listed('claude-sonnet-4-5', { aliases: [release] })] });
    expect([catalog.idOf(release), catalog.idOf('claude-sonnet-4-5')]).toEqual([
      'claude-sonnet-4-5',
      'claude-sonnet-4-5',
    ]);
    expect(catalog.text.get('lumen-frontier')?.aliases).toContain('claude-sonnet-4-6');
  });
});

describe('a release of a model', () => {
  const at = (provider: string, model: string, ...releases: string[]) => ({
    provider,
    model,
    releases: new Map(releases.map((release) => [release, release])),
  });
  const routes = [at('fal', 'a-2411', 'a-2411'), at('openai', 'a', 'a', 'a-2407', 'a-2411', 'a-latest')];
  const aliases = ['a-2407', 'a-2411', 'a-latest'];
  const sellingA = (): Catalog => {
    const catalog = withEnv({});
    catalog.offer({ text: [listed('a', { routes, aliases })] });
    return catalog;
  };
  const reached = (catalog: Catalog, name: string) =>
    catalog.textModel(name).routes.map(({ provider, model }) => `${provider}:${model}`);

  it('is not meant by the name without a day, which leads to all vendors, though one lists that name', () => {
    expect(reached(sellingA(), 'a')).toEqual(['fal:a-2411', 'openai:a']);
  });

  it('is never another one, though an operator switched off or left out its only vendor', () => {
    const off = sellingA();
    off.sellWithout({ models: new Set(), providers: new Set(['openai'] as never) });
    const without = sellingA();
    without.choose(new Map([['a', { routes: [{ provider: 'openai', model: 'a', leftOut: true }] }]]));
    for (const catalog of [off, without]) {
      expect(reached(catalog, 'a-2407')).toEqual([]);
      expect(reached(catalog, 'a-2411')).toEqual(['fal:a-2411']);
      for (const name of ['a', 'a-latest']) expect(reached(catalog, name)).toEqual(['fal:a-2411']);
      expect(catalog.textModel('a-2407').refusal).toMatchObject({ code: 'NOT_OFFERED' });
    }
  });
});

describe('a release that was a model of its own', () => {
  const selling = (isOwn: boolean): Catalog => {
    const catalog = withEnv({});
    catalog.choose(new Map([['a-2407', { adultsOnly: true }]]));
    catalog.sellWithout({ models: new Set(['b-2407']), providers: new Set() });
    const of = (id: string): TextModel[] => {
      const names = [`${id}-2407`, `${id}-2411`];
      const releases = new Map(names.map((name) => [name, name]));
      const routes = [{ provider: 'openai', model: `${id}-2411`, releases }];
      return isOwn ? [listed(id), listed(`${id}-2407`)] : [listed(id, { aliases: names, routes })];
    };
    catalog.offer({ text: [...of('a'), ...of('b')] });
    return catalog;
  };

  it.each([true, false])('stays off and for adults only, if it is a model: %s', (isOwn) => {
    const catalog = selling(isOwn);
    const facts = ['a', 'a-2407', 'b', 'b-2407'].map((name) => {
      const { adultsOnly = false, routes } = catalog.textModel(name);
      return [name, adultsOnly, routes.length];
    });
    expect(facts).toEqual([
      ['a', false, 1],
      ['a-2407', true, 1],
      ['b', false, 1],
      ['b-2407', false, 0],
    ]);
    expect(catalog.refusalOfName('b-2407')).toMatchObject({ code: 'NOT_OFFERED' });
  });
});

describe('a release in a file', () => {
  const at = (provider: string, ...releases: string[]) => ({
    provider,
    model: 'a-2411',
    releases: Object.fromEntries(releases.map((release) => [release, release])),
  });
  const text = {
    id: 'a',
    name: 'a',
    inputUsdPerMtok: '0.10',
    outputUsdPerMtok: '0.40',
    aliases: ['a-2407', 'a-2411', 'other'],
    routes: [at('openai', 'a-2407', 'a-2411'), at('sandbox', 'a-2411')],
  };

  it('is never another one, though its only vendor is not enabled', () => {
    const folder = mkdtempSync(join(tmpdir(), 'catalog-'));
    const file = join(folder, 'catalog.json');
    writeFileSync(file, JSON.stringify({ media: [], text: [text] }));
    const catalog = withEnv({ CATALOG_FILE: file });
    rmSync(folder, { recursive: true });
    const reached = (name: string) => catalog.textModel(name).routes.map(({ model }) => model);
    expect(['a', 'a-2411', 'other', 'a-2407'].map(reached)).toEqual([['a-2411'], ['a-2411'], ['a-2411'], []]);
    expect(catalog.textModel('a-2407').refusal).toMatchObject({ code: 'NOT_OFFERED' });
  });
});

describe('a name that the operator left out, or whose price is held', () => {
  const names = new Set(['gemini-2.5-pro', 'gpt-4o-mini']);
  const held = new Map([['claude-haiku-4-5', 'Claude Haiku 4.5']]);
  const refused = [...names, ...held.keys()];
  const code = 'NOT_OFFERED';

  it('is no alias of an own model', () => {
    const catalog = withEnv({});
    catalog.offer({ text: [listed('a')], held, leftOut: names });
    for (const id of refused) {
      const { id: priced, routes } = catalog.textModel(id);
      expect([priced, routes]).toEqual([id, []]);
      expect(() => catalog.requireSale(priced)).toThrow(expect.objectContaining({ code, kind: 'not_sold' }));
      expect(catalog.refusalOf(catalog.idOf(id), 'not_found')).toMatchObject({ code, kind: 'not_found' });
    }
    const aliases = [...catalog.text.values()].flatMap((model) => model.aliases ?? []);
    expect(aliases).toContain('gemini-2.5-flash');
    expect(aliases.filter((alias) => refused.includes(alias))).toEqual([]);
  });

  it('may be an alias of its vendor', () => {
    const catalog = withEnv({});
    const now = new Date();
    const at = (input: bigint) => [
      { id: 'm', aliases: ['m-alias'], prices: { input, output: 1_000_000n } as never },
    ];
    const before = offeredModels({ providerId: 'openai' }, at(1_000_000n), [], now);
    const all = { only: [], without: [] };
    const markup = { times: 1n, over: 1n };
    const offer = (models: readonly OfferedModel[]): void => {
      const lists = [{ vendor: 'openai', models, readAt: now }];
      catalog.offer({
        text: modelsOfLists(lists, all, markup),
        names: namesIn(lists),
        held: heldNames(lists, all),
        leftOut: leftOutNames(lists, all, catalog.ownAliases),
        lastRates: lastRatesIn(lists, all, markup),
      });
    };
    offer(before);
    expect(catalog.textModel('m-alias').id).toBe('m');
    offer(offeredModels({ providerId: 'openai' }, at(20_000_000n), before, now));
    expect(catalog.textModel('m-alias')).toMatchObject({ rates: { input: 1_000_000n }, routes: [] });
    expect(() => catalog.requireSale('m-alias')).toThrow(expect.objectContaining({ code }));
  });

  it('is sold where another vendor has it', () => {
    const catalog = withEnv({});
    catalog.offer({ text: [listed('gemini-2.5-pro')], leftOut: names });
    expect(catalog.textModel('gemini-2.5-pro').id).toBe('gemini-2.5-pro');
  });
});

describe('the default', () => {
  it('is a model of a list only if the file has none, and never a retired one', () => {
    const own = withEnv({});
    own.offer({ text: [listed('a', { default: true })] });
    expect(own.defaultText?.id).toBe('lumen-flash');
    const without = withEnv({ FAL_KEY: 'k', ALLOW_SANDBOX_MIX: 'true' });
    without.offer({ text: [listed('a', { retiresOn: '2020-01-01' }), listed('b')] });
    expect(without.defaultText?.id).toBe('b');
  });
});

describe('a model of the file without a route here', () => {
  it('is unknown, and the hint is the default', () => {
    const catalog = withEnv({ ANTHROPIC_API_KEY: 'sk-test', ALLOW_SANDBOX_MIX: 'true' });
    expect(() => catalog.textModel('lumen-flash')).toThrow(/no model lumen-flash. Did you mean lumen-code\?/);
    expect(() => catalog.textModel('lumen-ultr')).toThrow(/Did you mean lumen-ultra\?/);
  });
});

describe('models whose routes are all off', () => {
  it('are not for sale, and another takes the place of a default', () => {
    const catalog = withEnv({ OPENAI_API_KEY: 'sk-test', ALLOW_SANDBOX_MIX: 'true' });

    expect([...catalog.media.keys()]).toEqual(['ember-image-studio']);
    expect(catalog.defaultMedia('t2i')?.id).toBe('ember-image-studio');
    expect(catalog.defaultMedia('swap')).toBeUndefined();
    expect(
      [...catalog.media.values()].flatMap(({ routes }) => routes.map(({ provider }) => provider)),
    ).toEqual(['openai', 'openai']);
  });

  it('leave a line of products unsold when none of it is left', () => {
    expect(withEnv({ FAL_KEY: 'k', ALLOW_SANDBOX_MIX: 'true' }).unsold).toEqual(['text']);
    expect(withEnv({ REPLICATE_API_TOKEN: 'k', ALLOW_SANDBOX_MIX: 'true' }).unsold).toEqual(['text']);
    expect(withEnv({}).unsold).toEqual([]);
  });
});

describe('sizes that none of the routes that are on makes', () => {
  it('are reported to the operator, model by model', () => {
    const { unmade } = withEnv({ REPLICATE_API_TOKEN: 'k', ALLOW_SANDBOX_MIX: 'true' });

    expect(unmade).toEqual(['ember-image in 2K 1:1, 2K 16:9, 2K 9:16, 2K 3:2, 2K 2:3']);
    expect(withEnv({}).unmade).toEqual([]);
  });

  it('are reported if the model of a route does not make them, but others of its vendor do', () => {
    const { unmade } = withEnv({ RUNWAY_API_KEY: 'k', ALLOW_SANDBOX_MIX: 'true' });

    expect(unmade).toEqual(['torch-animate in 1080p 16:9, 1080p 9:16, 1080p 1:1']);
  });
});

describe('a catalog of the operator’s own', () => {
  let folder: string;

  const written = (text: string): string => {
    const path = join(folder, 'catalog.json');
    writeFileSync(path, text);
    return path;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lamppost-catalog-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('replaces ours', () => {
    const text = defaultCatalog.text.slice(0, 1).map((model) => ({ ...model, id: 'mine' }));
    const path = written(JSON.stringify({ media: [], text }));

    expect([...withEnv({ CATALOG_FILE: path }).text.keys()]).toEqual(['mine']);
  });

  it('lists a model until its last day, also while the service runs', () => {
    const [one, two, ...rest] = defaultCatalog.text;
    const text = [one, { ...two, retiresOn: '2100-01-02' }, ...rest];
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2100-01-01T23:59:59Z'));
    const catalog = withEnv({ CATALOG_FILE: written(JSON.stringify({ media: defaultCatalog.media, text })) });
    const { revision } = catalog;
    expect(catalog.text.has(two!.id)).toBe(true);

    clock.mockReturnValue(Date.parse('2100-01-02T00:00:00Z'));
    expect(catalog.revision).not.toBe(revision);
    expect(catalog.text.has(two!.id)).toBe(false);
    expect(catalog.text.has(one!.id)).toBe(true);
    clock.mockRestore();
  });

  it.each([
    ['is not there', undefined, 'no such file'],
    ['is not JSON', '{"media": [', 'JSON'],
    ['is empty', '', 'JSON'],
  ])('is refused at the start when it %s', (_what, text, reason) => {
    const path = text === undefined ? join(folder, 'missing.json') : written(text);
    const start = (): unknown => withEnv({ CATALOG_FILE: path });

    expect(start).toThrow(BadCatalog);
    expect(start).toThrow(/CATALOG_FILE can't be read as JSON/);
    expect(start).toThrow(reason);
  });

  it('may begin with the byte order mark of some editors', () => {
    const bad = written('\uFEFF{"media": [],\n"text": 5}');
    expect(() => withEnv({ CATALOG_FILE: bad })).toThrow('line 2: text must be');
  });

  it('is refused at the start when its dearest chat call passes the cap by more than one percent', () => {
    const catalogWithRate = (outputUsdPerMtok: string): string =>
      written(JSON.stringify({ media: [], text: [{ ...defaultCatalog.text[11], outputUsdPerMtok }] }));

    expect(() => withEnv({ CATALOG_FILE: catalogWithRate('23.08') })).not.toThrow();
    expect(() => withEnv({ CATALOG_FILE: catalogWithRate('23.40') })).toThrow(
      'the most expensive call of lumen-ultra costs 850187 micro-USD; PRICE_CHAT_CAP_MICRO must be at least 841770',
    );
    expect(() =>
      withEnv({ CATALOG_FILE: catalogWithRate('23.40'), PRICE_CHAT_CAP_MICRO: '841770' }),
    ).not.toThrow();
  });

  it('shows an image that costs next to nothing at the floor that it is charged', () => {
    const media = [{ ...defaultCatalog.media[1], pricing: { unit: 'image', usd: { default: '0.0001' } } }];
    const settings = readSettings({
      CATALOG_FILE: written(JSON.stringify({ media, text: defaultCatalog.text })),
    });
    const [model] = new Catalog(settings).media.values();

    expect(publicMedia(model!, settings.price).pricing.priceMicro).toEqual({ default: 4_546 });
  });
});
