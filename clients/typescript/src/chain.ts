import { ProofFailed } from './checkpoint.ts';
import type { SignedPayment } from './budget-journal.ts';

/** `authorizationState(address,bytes32)` of tokens with EIP-3009. */
const AUTHORIZATION_STATE = '0xe94a0102';
/** The chain may still replace blocks that are younger than this. */
const SETTLED_SECONDS = 60;
const TIMEOUT_MS = 10_000;

const word = (hex: string): string => hex.replace(/^0x/, '').toLowerCase().padStart(64, '0');

const asking =
  (rpcUrl: string, send: typeof fetch) =>
  async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const response = await send(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    });
    return ((await response.json()) as { result?: unknown }).result;
  };

const isOn = async (ask: ReturnType<typeof asking>, network: string): Promise<boolean> =>
  `eip155:${Number(await ask('eth_chainId', []))}` === network;

/** The text inside a transaction that is in a block; undefined if the node belongs to another network. @internal */
export const textOnChain = async (
  { network, transaction }: { readonly network: string; readonly transaction: string },
  rpcUrl: string,
  send: typeof fetch,
): Promise<string | undefined> => {
  const ask = asking(rpcUrl, send);
  if (!(await isOn(ask, network))) return undefined;
  const found = (await ask('eth_getTransactionByHash', [transaction])) as {
    input: string;
    blockNumber: string | null;
  } | null;
  if (!found?.blockNumber) throw new ProofFailed(`The chain has no transaction ${transaction}.`);
  const bytes = found.input.slice(2).match(/../g) ?? [];
  return new TextDecoder().decode(Uint8Array.from(bytes, (hex) => Number.parseInt(hex, 16)));
};

/**
 * Whether somebody has taken an expired payment, by the chain itself. Undefined if the chain does not prove it; the
 * payment then still counts.
 */
export const wasTaken = async (
  { network, asset, from, nonce, validBefore }: SignedPayment,
  rpcUrl: string,
  send: typeof fetch,
): Promise<boolean | undefined> => {
  const ask = asking(rpcUrl, send);
  try {
    if (!(await isOn(ask, network))) return undefined;
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
