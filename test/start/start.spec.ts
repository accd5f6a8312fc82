import { existsSync, readFileSync } from 'node:fs';

import { MAIN } from '../support/build';
import { BuiltService, isRunning, newFolder, removeFolders } from '../support/built-service';
import { expectEventually } from '../support/eventually';

const ACCOUNT = { email: 'someone@example.com', password: 'a long passphrase' };

const register = async (service: BuiltService): Promise<number> =>
  (await service.post('/v1/account/register', ACCOUNT)).status;
const signIn = async (service: BuiltService): Promise<number> =>
  (await service.post('/v1/account/sign-in', ACCOUNT)).status;

/** The exit code. The process must end long before a service manager would kill it. */
const endedSoon = async (service: BuiltService, signal: NodeJS.Signals): Promise<number | null> => {
  const began = Date.now();
  const exitCode = await service.end(signal);
  expect(Date.now() - began).toBeLessThan(15_000);
  return exitCode;
};

afterAll(removeFolders);

describe('npm start on a bare machine', () => {
  it('says where it runs and what is only sandbox, prints a call that works, and ends with Ctrl-C', async () => {
    const folder = newFolder(); // Only its owner may read this folder, and the folder for data does not exist yet.
    const service = await BuiltService.start({ DATA_DIR: `${folder}/deep/er` }, [MAIN]);
    const postgres = service.postgresPid;
    await expectEventually(() => service.stdout.includes('A first call:'));
    const [, path = '', body = ''] = /curl -s \S+?(\/v1\S+)[\s\S]*-d '(.*)'/.exec(service.stdout) ?? [];

    const answer = await service.post(path, JSON.parse(body)); // This leaves a keep-alive connection open.
    const priced: unknown = await answer.json();
    const exitCode = await endedSoon(service, 'SIGINT');

    expect(service.stdout).toContain(`Lamppost runs at ${service.url}`);
    expect(service.stdout).toContain(`${service.url}/docs`);
    expect(service.stdout).toContain('Sandbox, no real money and no real models; use test wallets only');
    expect([answer.status, priced]).toEqual([200, expect.objectContaining({ priceMicro: 30_770 })]);
    expect([exitCode, service.stderr]).toEqual([0, '']);
    await expectEventually(() => !isRunning(postgres));
  });

  it('ends at once and cleanly on a signal during its start', async () => {
    const service = await BuiltService.launch();
    const pidFile = `${service.dataDir}/pg/data/postmaster.pid`;
    await expectEventually(() => existsSync(pidFile));
    const postgres = Number(readFileSync(pidFile, 'utf8').split('\n', 1)[0]);

    const exitCode = await endedSoon(service, 'SIGTERM');

    expect(exitCode).toBe(0);
    await expectEventually(() => !isRunning(postgres));
  });
});

describe('what was stored', () => {
  it('is there at the next start, also after kill -9, which leaves no database behind', async () => {
    const first = await BuiltService.start();
    const postgres = first.postgresPid;
    const registered = await register(first);
    const quote = await first.post('/v1/agent/quote', { modelId: 'ember-image' });
    const { quoteId } = (await quote.json()) as { quoteId: string };
    await first.end('SIGKILL');
    await expectEventually(() => !isRunning(postgres));

    const second = await BuiltService.start({ DATA_DIR: first.dataDir });
    const signedIn = await signIn(second);
    const again = await register(second);
    const challenge = await second.post('/v1/agent/generate', {
      modelId: 'ember-image',
      prompt: 'x',
      quoteId,
    });
    const exitCode = await endedSoon(second, 'SIGTERM');

    expect([registered, signedIn, again, exitCode]).toEqual([201, 200, 409, 0]);
    expect(challenge.status).toBe(402); // An earlier quote is still valid, because the service has kept its secret.
  });

  it('is shared with a second process, and stays until the last one leaves', async () => {
    const first = await BuiltService.start();
    const registered = await register(first);
    const second = await BuiltService.start({ DATA_DIR: first.dataDir, ROLE: 'api' });
    const postgres = first.postgresPid;

    const before = await signIn(second);
    await first.end();
    const after = await signIn(second);
    const stillThere = isRunning(postgres);
    await second.end();

    expect([registered, before, after, stillThere]).toEqual([201, 200, 200, true]);
    await expectEventually(() => !isRunning(postgres));
  });
});
