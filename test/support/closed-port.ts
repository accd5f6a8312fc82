import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A port of this machine that was free a moment ago. Throws if another program answers there. */
export const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const socket = connect(port, '127.0.0.1');
  const answer = await new Promise<string | undefined>((resolve) => {
    socket.once('connect', () => resolve('a connection'));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
  });
  socket.destroy();
  if (answer !== 'ECONNREFUSED') throw new Error(`Port ${port} is closed and answers with ${answer}.`);
  return port;
};

/** An address whose port refuses connections. */
export const refusedOrigin = async (protocol = 'http'): Promise<string> =>
  `${protocol}://127.0.0.1:${await closedPort()}`;
