import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type Server, createServer } from 'node:http';

import type { Settings } from '../../settings';
import { type Checks, bad, ok } from './findings';

const TIMEOUT_MS = 10_000;
/** The answer of a service at `/health/live`. */
const ALIVE = JSON.stringify({ status: 'ok' });

/** Listens at the service's own port and answers every request with a random word. Undefined if the port is taken. */
const standIn = async ({ port, host }: Settings['http'], word: string): Promise<Server | undefined> => {
  const server = createServer((_, response) => {
    response.end(word);
  });
  try {
    await once(server.listen(port, host), 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return undefined;
  }
};

/** Whether the service already runs here. If so, the checks call it from the outside, as its callers do. */
export const isRunning = async ({ http }: Settings): Promise<boolean> => {
  const server = await standIn(http, '');
  server?.close();
  return server === undefined;
};

/** Whether the public address reaches this service. */
export const ADDRESS_CHECKS: Checks = {
  'public address': async ({ http }) => {
    const word = randomUUID();
    const server = await standIn(http, word);
    const mend = `Check that the name leads here, and that the proxy forwards requests to ${http.host}:${http.port}.`;
    try {
      const answer = await fetch(`${http.publicUrl}/health/live`, {
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await answer.text();
      const isHere = server === undefined ? answer.status === 200 : text === word;
      if (isHere) return ok(`${http.publicUrl} leads here`);
      return answer.status === 200 && text === ALIVE
        ? bad(
            `${http.publicUrl} leads to a running service, but no process listens here on PORT=${http.port}`,
            `Set PORT to the port of a process on this host. ${mend}`,
          )
        : bad(`${http.publicUrl} leads to another server, which answers ${answer.status}`, mend);
    } catch (error) {
      const { cause, message } = error as Error & { cause?: { code?: string } };
      return bad(`${http.publicUrl} can't be reached from here: ${cause?.code ?? message}`, mend);
    } finally {
      server?.closeAllConnections();
      server?.close();
    }
  },
};
