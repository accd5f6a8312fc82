import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Any number of `vendor:model`, which fail over to each other. */
type Route = `${string}:${string}`;

const routesOf = (routes: readonly Route[]): readonly object[] =>
  routes.map((route) => {
    const colon = route.indexOf(':');
    return { provider: route.slice(0, colon), model: route.slice(colon + 1) };
  });

/** An entry of a catalog that sells pictures for two cents each. `more` has its further fields. */
export const pictureEntry = (id: string, routes: readonly Route[], more: object = {}): object => ({
  id,
  name: id,
  mode: 't2i',
  aspectRatios: ['1:1'],
  resolutions: [],
  imageSizes: [],
  durations: [],
  pricing: { unit: 'image', usd: { default: '0.02' } },
  routes: routesOf(routes),
  ...more,
});

/** Films of four seconds, for ten cents a second. */
export const filmEntry = (id: string, routes: readonly Route[], more: object = {}): object =>
  pictureEntry(id, routes, {
    mode: 't2v',
    aspectRatios: ['16:9'],
    resolutions: ['720p'],
    durations: [4],
    pricing: { unit: 'second', usd: { default: '0.1' } },
    ...more,
  });

export const textEntry = (id: string, routes: readonly Route[], more: object = {}): object => ({
  id,
  name: id,
  inputUsdPerMtok: '0.10',
  outputUsdPerMtok: '0.40',
  routes: routesOf(routes),
  ...more,
});

/** The setting that makes a service sell only this. */
export const catalogOf = (
  media: readonly object[],
  text: readonly object[],
  audio?: readonly object[],
): { readonly CATALOG_FILE: string } => {
  const file = join(mkdtempSync(join(tmpdir(), 'lamppost-catalog-')), 'catalog.json');
  writeFileSync(file, JSON.stringify({ media, text, audio }));
  return { CATALOG_FILE: file };
};
