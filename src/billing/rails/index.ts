import type { Credentials } from '../../platform/http/credentials';
import type { SecurityScheme } from '../../platform/openapi/document';
import { ApiKeyGuard } from './api-key/api-key.guard';
import { ChannelGuard } from './channel/channel.guard';
import type { RailClass } from './rail';
import type { RailGuardClass } from './rail.guard';
import { WalletGuard } from './wallet/wallet.guard';
import { X402Guard } from './x402/x402.guard';

/**
 * The guards of all rails, in the order in which they claim a call: payments first, then the key, then the wallet's
 * sign-in. The rest of the service knows rails by this list only.
 */
export const RAIL_GUARDS: RailGuardClass[] = [ChannelGuard, X402Guard, ApiKeyGuard, WalletGuard];

export const railClasses = (): RailClass[] => RAIL_GUARDS.map(({ rail }) => rail);

export const railNames = (): string[] => railClasses().map(({ facts }) => facts.name);

/** The headers that carry a credential of some rail, and the form of its secrets. */
export const credentials = (): Credentials => ({
  headers: [...new Set(railClasses().flatMap(({ facts }) => facts.headers))],
  secrets: railClasses().flatMap(({ facts }) => facts.secrets ?? []),
});

/** The names of the credentials in the documents. */
export const securitySchemes = (): Readonly<Record<string, SecurityScheme>> =>
  Object.assign({}, ...railClasses().map(({ facts }) => facts.schemes)) as Record<string, SecurityScheme>;
