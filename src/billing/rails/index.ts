import { ApiKeyGuard } from './api-key/api-key.guard';
import { WalletGuard } from './wallet/wallet.guard';
import { X402Guard } from './x402/x402.guard';

/** In the order in which they may claim a call: a payment wins, then the key, then the wallet header. */
export const RAIL_GUARDS = [X402Guard, ApiKeyGuard, WalletGuard] as const;
