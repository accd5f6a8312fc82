import {
  Client,
  type CallToolResult as Answer,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { x402Client } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';

import type { WalletCaller } from './caller';

/** The address of the tools for wallets, which pay each call. */
const WALLETS_PATH = '/mcp?payment=x402';
const CREDENTIALS = ['x-api-key', 'authorization', 'Sign-In-With-X'];

type Arguments = Record<string, unknown>;

/** The stateless version of the protocol. */
export const STATELESS = { pin: '2026-07-28' };

/** The answer of a tool of ours: its data is an object. */
export type CallToolResult = Answer & { readonly structuredContent?: Record<string, unknown> };
type PaymentRequired = Parameters<x402Client['createPaymentPayload']>[0];

/** The official client, connected, with the given headers. It checks every answer against the tool's schema. */
export class McpCaller {
  private constructor(readonly client: Client) {}

  /** By default it speaks the version that most clients speak. Without a credential it uses the address for wallets. */
  static async connect(
    url: string,
    headers: Record<string, string> = {},
    mode: VersionNegotiationMode = 'legacy',
  ): Promise<McpCaller> {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    const path = CREDENTIALS.some((name) => name in headers) ? '/mcp' : WALLETS_PATH;
    const transport = new StreamableHTTPClientTransport(new URL(`${url}${path}`), {
      requestInit: { headers },
    });
    await client.connect(transport as Parameters<Client['connect']>[0]);
    await client.listTools(); // After this call the client knows the schemas.
    return new McpCaller(client);
  }

  async call(name: string, args: Arguments = {}, meta?: Record<string, unknown>): Promise<CallToolResult> {
    return (await this.client.callTool({
      name,
      arguments: args,
      ...(meta === undefined ? {} : { _meta: meta }),
    })) as CallToolResult;
  }

  /** Pays like an x402 client for MCP: it reads the requirements, signs, and repeats the call with the payment. */
  async pay(wallet: WalletCaller, name: string, args: Arguments): Promise<CallToolResult> {
    const asked = await this.call(name, args);
    const client = new x402Client().register('eip155:8453', new ExactEvmScheme(wallet.account));
    client.setSpendControls?.({ maxAmountPerPayment: '$100' });
    const payment = await client.createPaymentPayload(asked.structuredContent as unknown as PaymentRequired);
    return this.call(name, args, { 'x402/payment': payment });
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** The text of an answer. It repeats the data for clients that read only text. */
export const textOf = ({ content }: CallToolResult): unknown => {
  const text = content.find((block) => block.type === 'text');
  return JSON.parse(text?.type === 'text' ? text.text : 'null');
};
