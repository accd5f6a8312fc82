import type { SignedPayment } from './budget-journal.ts';

/** `authorizationState(address,bytes32)` of tokens with EIP-3009. */
const AUTHORIZATION_STATE = '0xe94a0102';
/** Younger blocks could still be replaced. */
const SETTLED_SECONDS = 60;
const TIMEOUT_MS = 10_000;

const word = (hex: string): string => hex.replace(/^0x/, '').toLowerCase().padStart(64, '0');

/**
 * The outcome of an expired payment on the chain itself: whether it was taken. Undefined if the chain does not prove
 * it, so that the payment still counts.
 */
export const wasTaken = async (
  { network, asset, from, nonce, validBefore }: SignedPayment,
  rpcUrl: string,
  send: typeof fetch,
): Promise<boolean | undefined> => {
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const response = await send(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    });
    return ((await response.json()) as { result?: unknown }).result;
  };
  try {
    if (`eip155:${Number(await ask('eth_chainId', []))}` !== network) return undefined;
    const block = (await ask('eth_getBlockByNumber', ['latest', false])) as {
      number: string;
      timestamp: string;
    };
    if (!(Number(block.timestamp) >= validBefore + SETTLED_SECONDS)) return undefined;
    const data = `${AUTHORIZATION_STATE}${word(from)}${word(nonce)}`;
    const state = String(await ask('eth_call', [{ to: asset, data }, block.number]));
    return /^0x0{63}[01]$/.test(state) ? state.endsWith('1') : undefined;
  } catch {
    return undefined;
  }
};
