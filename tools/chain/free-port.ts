import { randomInt } from 'node:crypto';
import net from 'node:net';

// Linux uses ports from 32768 on for outgoing connections. So no such connection can take a lower port between the
// check and the bind.
const LOWEST_PORT = 20_000;
const EPHEMERAL_PORTS_FROM = 32_768;
const TRIES = 50;

/** Each worker of a test run searches a separate range, because two workers could otherwise find the same free port. */
const PARTS = 8;
const PORTS = Math.floor((EPHEMERAL_PORTS_FROM - LOWEST_PORT) / PARTS);
const FIRST = LOWEST_PORT + (Number(process.env['JEST_WORKER_ID'] ?? 0) % PARTS) * PORTS;

let last = randomInt(PORTS);

export const isPortFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/** A port without a listener. Another program may still take the port first, so the caller must handle that. */
export const freePort = async (): Promise<number> => {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    last = (last + 1) % PORTS;
    const port = FIRST + last;
    if (await isPortFree(port)) {
      return port;
    }
  }
  throw new Error(`No free port from ${FIRST} on after ${TRIES} tries.`);
};
