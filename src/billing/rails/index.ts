import type { FastifyRequest } from 'fastify';

import { ApiKeyGuard } from './api-key/api-key.guard';
import { WalletGuard } from './wallet/wallet.guard';
import { X402Guard } from './x402/x402.guard';

/** In the order in which they may claim a call: a payment wins, then the key, then the wallet header. */
export const RAIL_GUARDS = [X402Guard, ApiKeyGuard, WalletGuard] as const;

/** Header names that carry a credential of any rail. */
export const CREDENTIAL_HEADERS = [
  'payment-signature',
  'x-payment',
  'x-402-payment',
  'x-api-key',
  'authorization',
  'sign-in-with-x',
  'x-sign-in-with-x',
  'cookie',
] as const;

export const carriesCredential = ({ headers }: FastifyRequest): boolean =>
  CREDENTIAL_HEADERS.some((name) => headers[name] !== undefined);
