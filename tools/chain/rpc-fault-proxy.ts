import http from 'node:http';
import { freePort } from './free-port';

/**
 * `down`: the proxy answers 503 at once, and the node receives nothing. `hang`: the proxy does not answer, and the node
 * receives nothing. `drop-reply`: the node executes the call, and then the proxy cuts the connection, so the caller
 * can't know the outcome.
 */
type RpcFault = 'down' | 'hang' | 'drop-reply';

export interface RpcFaultProxy {
  readonly url: string;
  /**
   * Makes calls of a method (`*` for all) fail: the next `times` calls, or all until `reset`. A whole batch fails like
   * its first failing call. With `about`, only calls with this text in their parameters fail.
   */
  fail(method: string, fault: RpcFault, times?: number, about?: string): void;
  /** The number of all calls of a method, including failed ones. */
  calls(method: string): number;
  /** Removes the faults, resets the counters, and cuts hanging calls. */
  reset(): void;
  stop(): Promise<void>;
}

interface Plan {
  readonly fault: RpcFault;
  readonly about: string;
  timesLeft: number;
}

const LAUNCH_TRIES = 5;

/** A proxy between a service and its node that injects faults in tests. */
export const startRpcFaultProxy = async (targetUrl: string): Promise<RpcFaultProxy> => {
  const plans = new Map<string, Plan>();
  const counts = new Map<string, number>();
  const hanging = new Set<http.ServerResponse>();

  const faultFor = (method: string, body: string): RpcFault | undefined => {
    const plan = plans.get(method) ?? plans.get('*');
    if (plan === undefined || plan.timesLeft === 0 || !body.includes(plan.about)) {
      return undefined;
    }
    plan.timesLeft -= 1;
    return plan.fault;
  };

  const answer = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    const methods = methodsIn(body);
    methods.forEach((method) => counts.set(method, (counts.get(method) ?? 0) + 1));
    const fault = methods.map((method) => faultFor(method, body)).find((found) => found !== undefined);
    if (fault === 'down') {
      response.writeHead(503).end('Service Unavailable');
      return;
    }
    if (fault === 'hang') {
      hanging.add(response.once('close', () => hanging.delete(response)));
      return;
    }
    const reply = await forward(targetUrl, body);
    if (fault === 'drop-reply') {
      response.destroy();
      return;
    }
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
  };

  const server = http.createServer((request, response) => {
    // If the node is dead, the proxy behaves like it: it closes the connection without an answer.
    answer(request, response).catch(() => response.destroy());
  });
  const port = await listen(server);

  const reset = (): void => {
    plans.clear();
    counts.clear();
    hanging.forEach((response) => response.destroy());
  };
  return {
    url: `http://127.0.0.1:${port}`,
    fail: (method, fault, times = Infinity, about = '') =>
      void plans.set(method, { fault, about, timesLeft: times }),
    calls: (method) => counts.get(method) ?? 0,
    reset,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const bodyOf = async (request: http.IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const methodsIn = (body: string): string[] => {
  const parsed: unknown = JSON.parse(body);
  const calls = (Array.isArray(parsed) ? parsed : [parsed]) as { method?: unknown }[];
  return calls.map((call) => String(call.method));
};

const forward = async (targetUrl: string, body: string): Promise<{ status: number; body: string }> => {
  const reply = await fetch(targetUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return { status: reply.status, body: await reply.text() };
};

const listen = async (server: http.Server): Promise<number> => {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', () => {
          server.removeListener('error', reject);
          resolve();
        });
      });
      return port;
    } catch (error) {
      if (attempt === LAUNCH_TRIES) {
        throw error;
      }
    }
  }
};
