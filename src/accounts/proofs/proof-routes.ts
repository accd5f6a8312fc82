import type { WHO_MAY } from '../roles';

/** The routes that wait for a proven address: keys, invites, second factors, closing and top-ups. */
const NEED_PROOF: ReadonlySet<string> = new Set<keyof typeof WHO_MAY | 'POST /v1/agent/keys'>([
  'POST /v1/account/keys',
  'POST /v1/account/keys/:id/rotate',
  'POST /v1/agent/keys',
  'POST /v1/account/organisations/:org/invites',
  'POST /v1/account/second-factor',
  'POST /v1/account/second-factor/confirm',
  'POST /v1/account/second-factor/recovery-codes',
  'POST /v1/account/passkeys/options',
  'POST /v1/account/passkeys',
  'POST /v1/account/close',
  'POST /v1/account/organisations/:org/close',
  'POST /v1/account/billing/top-up',
  'PUT /v1/account/billing/auto-top-up',
  'POST /v1/account/billing/auto-top-up/card',
]);

export const needsProof = (method: string, route: string): boolean => NEED_PROOF.has(`${method} ${route}`);
