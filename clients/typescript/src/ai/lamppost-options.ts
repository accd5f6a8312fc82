import type { JSONObject } from '@ai-sdk/provider';

import type { Charge } from '../medium.ts';

/** The options in `providerOptions.lamppost` of a call. */
export const lamppostOptions = (
  options: Readonly<Record<string, JSONObject>> | undefined,
): { readonly tag?: string; readonly idempotencyKey?: string } => {
  const { tag, idempotencyKey } = options?.['lamppost'] ?? {};
  return {
    ...(typeof tag === 'string' && { tag }),
    ...(typeof idempotencyKey === 'string' && { idempotencyKey }),
  };
};

/** The cost of a call, for `providerMetadata.lamppost`. */
export const costOf = ({ id, micro, balanceMicro }: Charge): JSONObject => ({
  chargeId: id,
  chargeMicro: micro,
  ...(balanceMicro !== undefined && { balanceMicro }),
});
