import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MEDIA_MODES } from '#models/providers/media-mode';
import { readSettings } from '../../../settings';
import { AudioPriceCalculator } from '../audio-price-calculator';
import { Catalog } from '../catalog';
import type { MediaModel } from '../catalog-models';
import { makersModelsOf } from '../listed/makers-media';
import type { LiveCosts } from '../live-costs';
import { MediaPriceCalculator, type RequestedMedia, optionsOf } from '../media-price-calculator';
import type { PricedCall } from '../priced-call';
import { publicAudio, publicMedia } from '../public-models';
import { exportedFile } from './exported-file';
import type { ModelChoice } from './model-choice';

const KEYS = [
  'OPENAI_API_KEY',
  'FAL_KEY',
  'REPLICATE_API_TOKEN',
  'GEMINI_API_KEY',
  'XAI_API_KEY',
  'BFL_API_KEY',
  'RUNWAY_API_KEY',
];
const ENV = {
  ALLOW_SANDBOX_MIX: 'true',
  ...Object.fromEntries(KEYS.map((name) => [name, 'a-key-0123456789abcdef'])),
};
const settings = readSettings(ENV);
const media = new MediaPriceCalculator(settings, {
  of: ({ costs }: MediaModel) => ({ costs, live: false }),
} as unknown as LiveCosts);
const audio = new AudioPriceCalculator(settings);

/** A service with the media of all makers, which an operator changed in one way. */
const changed = (choice: ModelChoice): readonly [Catalog, ReadonlyMap<string, ModelChoice>] => {
  const catalog = new Catalog(settings);
  catalog.offer(makersModelsOf(settings));
  const { private: isPrivate, adultsOnly } = choice;
  const choices = new Map(
    catalog.ids.map((id) => [id, catalog.isOwn(id) ? { private: isPrivate, adultsOnly } : choice]),
  );
  catalog.choose(choices);
  return [catalog, choices];
};

const readBack = (
  catalog: Catalog,
  choices: ReadonlyMap<string, ModelChoice>,
  env: Readonly<Record<string, string>> = ENV,
): Catalog => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'));
  const path = join(folder, 'catalog.json');
  writeFileSync(path, JSON.stringify(exportedFile(catalog, choices)));
  try {
    return new Catalog(readSettings({ ...env, CATALOG_FILE: path }));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const orNone = <Value>(values: readonly Value[] = []): readonly (Value | undefined)[] =>
  values.length === 0 ? [undefined] : values;

const asksOf = (model: MediaModel): RequestedMedia[] =>
  orNone(model.resolutions).flatMap((resolution) =>
    orNone(model.imageSizes).flatMap((imageSize) =>
      orNone(model.qualities).flatMap((quality) =>
        orNone(model.durations).flatMap((duration) =>
          [1, model.capabilities.n ?? 1].map(
            (n) => ({ resolution, imageSize, quality, duration, n }) as RequestedMedia,
          ),
        ),
      ),
    ),
  );

/** Only a model of a list says that it is of one. */
const soldAs = ({ isListed: _, ...priced }: PricedCall): object => priced;

describe('an exported file with the media of makers', () => {
  it.each<[ModelChoice]>([
    [{}],
    [{ markup: '3/2', adultsOnly: true, private: true }],
    [{ markup: '1/2', belowCost: true, adultsOnly: false }],
  ])('sells the same at every size, quality and length: %j', (choice) => {
    const [catalog, choices] = changed(choice);
    const read = readBack(catalog, choices);
    expect([[...read.media.keys()], [...read.audio.keys()]]).toEqual([
      [...catalog.media.keys()],
      [...catalog.audio.keys()],
    ]);
    for (const model of catalog.media.values()) {
      const same = read.media.get(model.id)!;
      expect(publicMedia(same, settings.price)).toEqual(publicMedia(model, settings.price));
      expect(same.deadlineSeconds).toBe(model.deadlineSeconds);
      for (const ask of asksOf(model))
        expect(soldAs(media.price(same, optionsOf(same, ask)))).toEqual(
          soldAs(media.price(model, optionsOf(model, ask))),
        );
    }
    for (const model of catalog.audio.values()) {
      const same = read.audio.get(model.id)!;
      expect(publicAudio(same, settings.price)).toEqual(publicAudio(model, settings.price));
      const price = (each: typeof model): object =>
        soldAs(
          model.kind === 'speech' ? audio.speech(each, 'a'.repeat(999)) : audio.transcription(each, 1_234),
        );
      expect(price(same)).toEqual(price(model));
    }
  });

  it('leads a call with a picture under the name of the maker to the same model', () => {
    const [catalog, choices] = changed({});
    const read = readBack(catalog, choices);
    const leads = (each: Catalog): string[] =>
      [...catalog.media.keys()].flatMap((id) =>
        MEDIA_MODES.map((mode) => `${id} ${mode} ${each.mediaModel(id, mode).id}`),
      );
    expect(leads(read)).toEqual(leads(catalog));
    expect(read.mediaModel('flux-kontext-pro', 'i2i').id).toBe('flux-kontext-pro/edit');
  });

  it('leads a call without a model to the same model', () => {
    const env = {
      ALLOW_SANDBOX_MIX: 'true',
      GEMINI_API_KEY: 'a-key-0123456789abcdef',
      OPENAI_API_KEY: 'sk-a-key-0123456789',
    };
    const catalog = new Catalog(readSettings(env));
    catalog.offer(makersModelsOf(readSettings(env)));
    const read = readBack(catalog, new Map(), env);
    const defaults = (each: Catalog): object => ({
      media: MEDIA_MODES.map((mode) => each.defaultMedia(mode)?.id),
      audio: (['speech', 'transcription'] as const).map((kind) => each.audioModel(undefined, kind).id),
    });
    expect(defaults(read)).toEqual(defaults(catalog));
    expect(read.defaultMedia('t2v')?.id).toBe('veo-3.1-lite-generate-preview');
  });
});
