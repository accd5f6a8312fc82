import { ZERO_WALLET } from './channel-payment';

/** Channels whose vouchers a contract wallet signs. It may declare its signature invalid before the claim. */
export const OF_CONTRACT = `payer_authorizer = '${ZERO_WALLET}'`;

/**
 * The debt of all contract wallets of a network, with their open calls. A refused debt counts for a day, so an attack can
 * cost at most one limit a day.
 */
export const contractDebt = (network: string): string => `(
  select coalesce(sum(coalesce(o.open_signed_micro, o.charged_micro) - o.claimed_micro), 0) from channel o
  where o.${OF_CONTRACT} and o.network = ${network} and coalesce(o.open_signed_micro, o.charged_micro) > o.claimed_micro
    and (o.claim_refused_at is null or o.claim_refused_at > now() - interval '1 day'))`;

/** Whether the contract wallets of a network may owe this much more, within the limit. */
export const CONTRACTS_MAY_OWE = `select ${contractDebt('$1')} + $2::bigint <= $3::bigint as may`;
