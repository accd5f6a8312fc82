import { IsOptional } from 'class-validator';

import { Whole } from '../../config/variables';
import { defineSettings } from '../../config/settings';

/**
 * Calls per minute by the name of the limit; 0 switches a limit off. A feature adds its own limits to this interface in
 * its settings.
 */
export interface CallLimits {
  /** All calls of an address. */
  readonly address: number;
  /** Calls of one address without a proven payment. */
  readonly challenge: number;
  /** Free calls of one address. */
  readonly free: number;
}

export type LimitName = keyof CallLimits;

class RateLimitVariables {
  @Whole(0, 1_000_000_000) @IsOptional() readonly RATE_LIMIT_ADDRESS?: number;
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_CHALLENGE: number = 60;
  @Whole(0, 1_000_000_000) readonly RATE_LIMIT_FREE: number = 600;
}

const ADDRESS_MIN = 6_000;

/** The limit of all calls of an address. It must not be below any other limit. */
const highestOf = (env: object): number =>
  Math.max(
    ADDRESS_MIN,
    ...Object.entries(env).flatMap(([name, value]) =>
      name.startsWith('RATE_LIMIT_') && typeof value === 'number' ? [value] : [],
    ),
  );

export const rateLimitSettings = defineSettings({
  variables: RateLimitVariables,
  read: (env: RateLimitVariables) => ({
    limits: {
      address: env.RATE_LIMIT_ADDRESS ?? highestOf(env),
      challenge: env.RATE_LIMIT_CHALLENGE,
      free: env.RATE_LIMIT_FREE,
    },
  }),
});

export interface RateLimitSettings {
  readonly limits: CallLimits;
}
