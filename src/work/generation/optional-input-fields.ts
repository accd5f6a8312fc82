import { TextField, WholeField } from '#platform/http/routes/fields';
import { RESULTS_MAX } from '#models/providers/optional-inputs';

export const PromptField = (): PropertyDecorator =>
  TextField({
    min: 1,
    max: 2_000,
    about: 'A description of the wanted result.',
    example: 'A red fox in the snow',
  });

/** The largest seed that every vendor accepts. */
const SEED_MAX = 2_147_483_647;

export const SeedField = (): PropertyDecorator =>
  WholeField({
    min: 0,
    max: SEED_MAX,
    optional: true,
    about: 'The same seed tends to the same result. For models with the capability `seed`.',
  });

export const CountField = (): PropertyDecorator =>
  WholeField({
    min: 1,
    max: RESULTS_MAX,
    optional: true,
    about:
      'How many images, default 1. Each costs the same, and all are made or none. For models with the capability `n`.',
  });

export const NegativePromptField = (): PropertyDecorator =>
  TextField({
    min: 1,
    max: 2_000,
    optional: true,
    about: 'Things that the result should not show. For models with the capability `negativePrompt`.',
  });
