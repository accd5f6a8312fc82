import type { Credentials } from '../../platform/http/credentials';
import type { SecurityScheme } from '../../platform/openapi/document';
import { ApiKeyGuard } from './api-key/api-key.guard';
import type { RailClass } from './rail';
import type { RailGuardClass } from './rail.guard';
import { WalletGuard } from './wallet/wallet.guard';
import { X402Guard } from './x402/x402.guard';

/**
 * The guards of all rails, in the order in which they claim a call: a payment first, then the key, then the wallet's
 * sign-in. This list is all that the rest of the service knows of a rail.
 */
export const RAIL_GUARDS: RailGuardClass[] = [X402Guard, ApiKeyGuard, WalletGuard];

export const railClasses = (): RailClass[] => RAIL_GUARDS.map(({ rail }) => rail);

export const railNames = (): string[] => railClasses().map(({ facts }) => facts.name);

/** What carries a credential of some rail, and what it looks like. */
export const credentials = (): Credentials => ({
  headers: [...new Set(railClasses().flatMap(({ facts }) => facts.headers))],
  secrets: railClasses().flatMap(({ facts }) => facts.secrets ?? []),
});

/** What the documents call the credentials. */
export const securitySchemes = (): Readonly<Record<string, SecurityScheme>> =>
  Object.assign({}, ...railClasses().map(({ facts }) => facts.schemes)) as Record<string, SecurityScheme>;
