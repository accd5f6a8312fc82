import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Its planned fault, instead of its work or in addition. `moves` means that the money moves despite the fault. */
export type FacilitatorFault =
  | { readonly kind: 'html' | 'empty' | 'array' | 'hang' | 'cut' | 'forbidden' | 'flood' }
  | { readonly kind: 'says'; readonly answer: object; readonly status?: number; readonly moves?: boolean }
  | { readonly kind: 'moves-then-hangs' | 'moves-then-cuts' };

interface FacilitatorCall {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: WirePayment;
}

export interface WirePayment {
  readonly x402Version: number;
  readonly paymentPayload: {
    readonly accepted: object;
    readonly payload: {
      readonly signature: string;
      readonly authorization: Readonly<Record<'from' | 'to' | 'value' | 'nonce' | 'validBefore', string>>;
    };
  };
  readonly paymentRequirements: { readonly network: string; readonly extra: object };
}

export interface FakeFacilitator {
  readonly url: string;
  /** The settings of a service that uses it. */
  readonly settings: Readonly<Record<string, string>>;
  readonly calls: readonly FacilitatorCall[];
  /** The money that really moved, by nonce, whatever its answers said. */
  readonly moved: ReadonlyMap<string, { readonly value: bigint; readonly transaction: string }>;
  /** The next `times` calls of a path fail. */
  fail(path: 'verify' | 'settle', fault: FacilitatorFault, times?: number): void;
  reset(): void;
  stop(): Promise<void>;
}

type Mover = (payment: WirePayment) => Promise<string>;

const inMemory: Mover = ({ paymentPayload: { payload } }) =>
  Promise.resolve(`0x${createHash('sha256').update(payload.authorization.nonce).digest('hex')}`);

/** A facilitator that does its work and records it correctly. It lies, hangs or disconnects if a test asks for that. */
export const startFakeFacilitator = async (move: Mover = inMemory): Promise<FakeFacilitator> => {
  const calls: FacilitatorCall[] = [];
  const moved = new Map<string, { value: bigint; transaction: string }>();
  const faults = new Map<string, { fault: FacilitatorFault; times: number }>();
  const open = new Set<http.ServerResponse>();

  const carryOut = async (payment: WirePayment): Promise<string | undefined> => {
    const { nonce, value } = payment.paymentPayload.payload.authorization;
    if (moved.has(nonce)) return undefined;
    const transaction = await move(payment);
    moved.set(nonce, { value: BigInt(value), transaction });
    return transaction;
  };

  const honest = async (path: string, payment: WirePayment): Promise<object> => {
    const { network } = payment.paymentRequirements;
    const { from, nonce } = payment.paymentPayload.payload.authorization;
    if (path === 'verify') {
      return moved.has(nonce)
        ? { isValid: false, invalidReason: 'invalid_exact_evm_nonce_already_used', payer: from }
        : { isValid: true, payer: from };
    }
    const transaction = await carryOut(payment);
    return transaction === undefined
      ? { success: false, errorReason: 'invalid_exact_evm_nonce_already_used', transaction: '', network }
      : { success: true, transaction, network, payer: from };
  };

  const answer = async (
    path: string,
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> => {
    const json = (status: number, value: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    if (path === 'supported') {
      return json(200, { kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }] });
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as WirePayment;
    calls.push({ path, headers: request.headers, body });
    const planned = faults.get(path);
    if (planned === undefined || planned.times === 0) {
      return json(200, await honest(path, body));
    }
    planned.times -= 1;
    const { fault } = planned;
    if (fault.kind === 'moves-then-hangs' || fault.kind === 'moves-then-cuts') await carryOut(body);
    if (fault.kind === 'says' && fault.moves === true) await carryOut(body);
    switch (fault.kind) {
      case 'says':
        return json(fault.status ?? 200, fault.answer);
      case 'html':
        response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway at secret-host</h1>');
        return undefined;
      case 'empty':
        return json(200, {});
      case 'array':
        return json(200, []);
      case 'forbidden':
        return json(403, { error: 'your key sk_secret is not valid' });
      case 'flood':
        response.writeHead(200, { 'content-type': 'application/json' }).end(`{"x":"${'a'.repeat(200_000)}"}`);
        return undefined;
      case 'cut':
      case 'moves-then-cuts':
        response.destroy();
        return undefined;
      default:
        open.add(response);
        return undefined;
    }
  };

  const server = http.createServer((request, response) => {
    const path = (request.url ?? '').split('/').at(-1) ?? '';
    answer(path, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const reset = (): void => {
    faults.clear();
    open.forEach((response) => response.destroy());
    open.clear();
  };
  const url = `http://127.0.0.1:${port}/x402`;
  return {
    url,
    settings: {
      X402_FACILITATOR: 'http',
      X402_FACILITATOR_URL: url,
      X402_PAY_TO: '0x209693bc6afc0c5328ba36faf03c514ef312287c',
    },
    calls,
    moved,
    fail: (path, fault, times = Infinity) => void faults.set(path, { fault, times }),
    reset,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
