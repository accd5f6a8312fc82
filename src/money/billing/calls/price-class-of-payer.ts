import type { PricedCall } from '#models/catalog/priced-call';
import { ApiKeyRail } from '../rails/api-key/api-key.rail';
import type { Payer } from '../rails/payer';

/**
 * The call at the price class of its proven payer. A header never decides the class, because anybody can send one. A key
 * of a wallet pays as the wallet.
 */
export const pricedFor = (priced: PricedCall, { rail }: Pick<Payer, 'rail'>): PricedCall =>
  rail === ApiKeyRail.facts.name ? (priced.forAccounts ?? priced) : priced;
