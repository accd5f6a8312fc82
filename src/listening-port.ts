import { once } from 'node:events';
import { createServer } from 'node:net';

import type { Settings } from './settings';

/** The service may not have its port. The operator gets one sentence, without a stack trace. */
export class CannotListen extends Error {}

/** Describes a problem with the port in one sentence if the operator can solve it. Any other error stays unchanged. */
export const portProblem = (error: unknown, { port, host }: Settings['http']): unknown => {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new CannotListen(`Port ${port} is in use. Stop what uses it, or set PORT to another one.`);
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new CannotListen(
      `Lamppost may not listen on ${host}:${port}. Set HOST and PORT to an address of this machine.`,
    );
  }
  return error;
};

/**
 * Checks the port before anything else starts, because another running Lamppost is the most frequent reason for a taken
 * port.
 */
export const refuseTakenPort = async ({ http }: Settings): Promise<void> => {
  const server = createServer();
  try {
    await once(server.listen(http.port, http.host), 'listening');
  } catch (error) {
    throw portProblem(error, http);
  }
  server.close();
  await once(server, 'close');
};
