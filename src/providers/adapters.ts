import type { Settings } from '../platform/config/settings';

export const ADAPTERS = ['sandbox', 'openai', 'fal', 'replicate'] as const;
export type AdapterName = (typeof ADAPTERS)[number];

/** An adapter is on when its key is set; the sandbox is on only while no real one is, so that they never mix. */
export const enabledAdapters = (settings: Settings): ReadonlySet<AdapterName> => {
  const { openai, fal, replicate } = settings.providers;
  const real: AdapterName[] = [
    ...(openai.key === undefined ? [] : (['openai'] as const)),
    ...(fal.key === undefined ? [] : (['fal'] as const)),
    ...(replicate.key === undefined ? [] : (['replicate'] as const)),
  ];
  return new Set(real.length > 0 ? real : ['sandbox']);
};
