import { defineError } from '#kernel/app-error';
import { INTERNAL } from '#kernel/common-codes';

export const PagesNotBuilt = defineError(
  INTERNAL,
  'The pages of this service were not built. Run npm run build, then start it again.',
  { kind: 'unavailable' },
);
