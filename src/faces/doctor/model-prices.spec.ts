import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';

import { Catalog } from '#models/catalog/catalog';
import { CatalogModule } from '#models/catalog/catalog.module';
import { ScopeModels } from '#people/keys/scope-models';
import { readSettings } from '../../settings';
import { DATA_CHECKS } from './data-checks';

const text = (id: string, output: string) => ({
  id,
  name: id,
  inputUsdPerMtok: '0.50',
  outputUsdPerMtok: '1.00',
  routes: [
    { provider: 'openai', model: id, costUsd: { input: '0.1', output } },
    { provider: 'sandbox', model: id },
  ],
});

describe('models of CATALOG_FILE that sell below their cost', () => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const settingsWith = (...models: readonly object[]) => {
    const path = join(folder, `${models.length}.json`);
    writeFileSync(path, JSON.stringify({ media: [], text: models }));
    return readSettings({ CATALOG_FILE: path, OPENAI_API_KEY: 'a-key', ALLOW_SANDBOX_MIX: 'true' });
  };
  const warnings = (settings: ReturnType<typeof settingsWith>): readonly unknown[] => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    new CatalogModule(new Catalog(settings), new ScopeModels(), settings).onModuleInit();
    const lines = warn.mock.calls.map(([line]) => line as unknown);
    warn.mockRestore();
    return lines;
  };

  it('are named by the doctor and at the start', async () => {
    const settings = settingsWith(text('dear', '5'), text('cheap', '1.00'));
    expect(await DATA_CHECKS['model prices']!(settings)).toMatchObject({
      outcome: 'look',
      text: 'they sell below their cost: dear',
    });
    expect(warnings(settings)).toContain('These models sell below the costUsd of their routes: dear.');
  });

  it('are not named if there are none', async () => {
    const settings = settingsWith(text('cheap', '1.00'));
    expect(await DATA_CHECKS['model prices']!(settings)).toMatchObject({ outcome: 'skipped' });
    expect(warnings(settings)).not.toContainEqual(expect.stringContaining('costUsd'));
  });
});
