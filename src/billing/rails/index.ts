import type { Credentials } from '../../platform/http/credentials';
import type { SecurityScheme } from '../../platform/openapi/document';
import { ApiKeyRail } from './api-key/api-key.rail';
import type { RailClass } from './rail';
import { WalletRail } from './wallet/wallet.rail';
import { X402Rail } from './x402/x402.rail';

/**
 * All ways to pay, in the order in which they may claim a call: a payment wins, then the key, then the wallet header.
 * This list is all that the rest of the service knows of a rail.
 */
export const RAILS: RailClass[] = [X402Rail, ApiKeyRail, WalletRail];

export const railNames = (): string[] => RAILS.map(({ facts }) => facts.name);

/** What carries a credential of some rail, and what it looks like. */
export const credentials = (): Credentials => ({
  headers: [...new Set(RAILS.flatMap(({ facts }) => facts.headers))],
  secrets: RAILS.flatMap(({ facts }) => facts.secrets ?? []),
});

/** What the documents call the credentials. */
export const securitySchemes = (): Readonly<Record<string, SecurityScheme>> =>
  Object.assign({}, ...RAILS.map(({ facts }) => facts.schemes)) as Record<string, SecurityScheme>;
