import { call } from '../parts/api.ts';
import { type Catalog, type ListedModel, type Status, listOf } from './model-facts.ts';

/**
 * The catalog with the status of the last 30 days. If the status can't be loaded, the pages show the models without it.
 */
export const loadModels = async (
  signal: AbortSignal,
): Promise<{
  readonly catalog: Catalog;
  readonly models: readonly ListedModel[];
  readonly status: Status | undefined;
}> => {
  const [catalog, status] = await Promise.all([
    call('get', '/v1/agent/models', { signal }),
    call('get', '/v1/agent/status', { query: { window: '30d' }, signal }).catch(() => undefined),
  ]);
  return { catalog, models: listOf(catalog, status), status };
};

export const percent = (rate: number): string => `${(Math.floor(rate * 1_000) / 10).toLocaleString('en')} %`;

export const seconds = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : `${value < 10 ? value.toFixed(2) : value.toFixed(0)} s`;
