import type { Credentials } from '#platform/http/credentials';
import type { SecurityScheme } from '#platform/openapi/docs';
import { ApiKeyGuard } from './api-key/api-key.guard';
import { ChannelGuard } from './channel/channel.guard';
import { PaymentRail, type RailClass } from './rail';
import type { RailGuardClass } from './rail.guard';
import { WalletGuard } from './wallet/wallet.guard';
import { X402Guard } from './x402/x402.guard';

/**
 * The guards of all rails, in the order in which they claim a call. The rest of the service knows rails by this list
 * only.
 */
export const RAIL_GUARDS: RailGuardClass[] = [
  // Payments are first.
  ChannelGuard,
  X402Guard,
  ApiKeyGuard,
  WalletGuard,
];

export const railClasses = (): RailClass[] => RAIL_GUARDS.map(({ rail }) => rail);

const namesOf = (rails: readonly RailClass[]): string[] => rails.map(({ facts }) => facts.name);

export const railNames = (): string[] => namesOf(railClasses());

/** The rails whose payers have a balance here. Their headers alone prove a payer with money. */
export const prepaidRailNames = (): string[] =>
  namesOf(railClasses().filter(({ facts }) => facts.accounts !== undefined));

/** The rails that can charge a call whose price is known only at its end. */
export const byUseRailNames = (): string[] =>
  namesOf(
    railClasses().filter(
      ({ prototype }) => (prototype as PaymentRail).capture !== PaymentRail.prototype.capture,
    ),
  );

/** The headers that carry a credential of some rail, and the form of its secrets. */
export const credentials = (): Credentials => ({
  headers: [...new Set(railClasses().flatMap(({ facts }) => facts.headers))],
  secrets: railClasses().flatMap(({ facts }) => facts.secrets ?? []),
});

/** The names of the credentials in the documents. */
export const securitySchemes = (): Readonly<Record<string, SecurityScheme>> =>
  Object.assign({}, ...railClasses().map(({ facts }) => facts.schemes)) as Record<string, SecurityScheme>;
