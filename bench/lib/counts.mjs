import { setTimeout as pause } from 'node:timers/promises';

/** Signals a service that loaded `count-work.cjs` or `count-files.cjs`, and waits for its counts. */
export const countsOf = async (service) => {
  const before = service.output().length;
  process.kill(service.pid, 'SIGUSR2');
  for (let tries = 0; tries < 400; tries += 1) {
    const line = /^counts (\{.*\})$/m.exec(service.output().slice(before));
    if (line !== null) return JSON.parse(line[1]);
    await pause(25);
  }
  throw new Error('The service printed no counts.');
};
