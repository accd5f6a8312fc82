import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { load } from 'js-yaml';

import { ReconciliationProcessor } from '#money/billing/sweeps/reconciliation.processor';
import { CHAT, chatOn } from '../contract/rail-contract';
import { callersOf, sandboxRails } from '../contract/rail-callers';
import { World } from '../support/world';

const read = (path: string): string => readFileSync(join(__dirname, '..', '..', path), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const { groups } = load(read('deploy/prometheus/alerts.yaml')) as {
  groups: { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);

const { panels } = JSON.parse(read('deploy/grafana/lamppost.json')) as {
  panels: { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
};

const queries: readonly (readonly [string, string])[] = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

/** Prometheus itself makes this metric for each process. */
const OF_PROMETHEUS = 'up';

const namesIn = (query: string): readonly string[] =>
  [...query.matchAll(/\b(?:lamppost_\w+|up)\b(?=[^"]*(?:"[^"]*"[^"]*)*$)/g)].map(([name]) => name);

const labelsIn = (query: string): readonly (readonly [string, string])[] =>
  [...query.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, name = '', inside = '']) =>
    [...inside.matchAll(/(\w+)[=!][=~]?"/g)].map(([, label = '']) => [name, label] as const),
  );

/** GitHub's rule for the address of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

const anchors = [...read('docs/operations/incidents.md').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
  anchorOf(heading),
);

describe('what watches the service from outside', () => {
  let world: World;
  let metrics: string;

  beforeAll(async () => {
    world = await World.start({ METRICS_TOKEN: 'a-token-for-metrics' });
    for (const rail of sandboxRails()) {
      const caller = await callersOf(rail).caller(world, 10_000n);
      const answer = await chatOn(() => world)(CHAT, await caller.credential(CHAT));
      expect(answer.status).toBe(200);
    }
    await world.app.get(ReconciliationProcessor, { strict: false }).run();
    metrics = (await world.get('/metrics', { authorization: 'Bearer a-token-for-metrics' })).body;
  });

  afterAll(() => world.stop());

  /** The names of all series; queries of a histogram use those of its parts. */
  const known = (): ReadonlySet<string> =>
    new Set([
      OF_PROMETHEUS,
      ...[...metrics.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? ['bucket', 'count', 'sum'].map((end) => `${name}_${end}`) : [name],
      ),
    ]);

  /** Undefined if nothing was counted yet, because a metric then shows no labels. */
  const labelsOf = (metric: string): readonly string[] | undefined => {
    const line = new RegExp(`^${metric}\\{(.*)\\} `, 'm').exec(metrics)?.[1];
    return line === undefined ? undefined : [...line.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
  };

  it('has charged a call on each rail', () => {
    for (const rail of sandboxRails()) {
      expect(metrics).toContain(`lamppost_charges_total{rail="${rail}",state="charged"} 1`);
    }
  });

  it.each(queries)('asks for numbers that there are: %s', (_, query) => {
    const names = namesIn(query);

    expect(names).not.toEqual([]);
    expect(names.filter((name) => !known().has(name))).toEqual([]);
  });

  it.each(queries)('picks by labels that they have: %s', (_, query) => {
    const unknown = labelsIn(query).filter(([metric, label]) => labelsOf(metric)?.includes(label) === false);

    expect(unknown).toEqual([]);
  });

  it('shows every number of ours on the dashboard', () => {
    const shown = new Set(panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => namesIn(expr))));
    const families = [...metrics.matchAll(/^# TYPE (lamppost_\w+)/gm)].map(([, name = '']) => name);

    expect(families.filter((name) => ![...shown].some((one) => one.startsWith(name)))).toEqual([]);
  });

  it.each(rules)('links $alert to its instructions', ({ labels, annotations }) => {
    const [page, anchor] = annotations.runbook.split('#');

    expect(['page', 'ticket']).toContain(labels.severity);
    expect(annotations.summary).not.toBe('');
    expect(page).toBe('docs/operations/incidents.md');
    expect(anchors).toContain(anchor);
  });
});
