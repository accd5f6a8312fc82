import { generatePrivateKey } from 'viem/accounts';

import { freePort } from '../../tools/chain/free-port';
import { KeyCaller } from '../support/caller';
import { type Run, codeIn, runShell, runTypeScript } from '../support/code-blocks';
import { World } from '../support/world';

// These tests start other programs, which takes long on a busy machine.
jest.setTimeout(120_000);

describe('the guide', () => {
  let world: World;
  let guide: string;

  beforeAll(async () => {
    const port = await freePort();
    world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}` });
    await world.listen(port);
    guide = (await world.get('/v1/agent/guide.md')).body;
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  /** The rails of the charges that `work` caused. */
  const railsUsedBy = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const before = await world.db.rows<{ id: string }>('select id from charge');
    await work();
    const rows = await world.db.rows<{ rail: string }>(
      `select distinct rail from charge
       where state = 'charged' and operation <> 'top_up' and not id = any($1) order by rail`,
      [before.map(({ id }) => id)],
    );
    return rows.map(({ rail }) => rail);
  };

  it('holds shell commands that pay on every rail', async () => {
    let ran: Run | undefined;
    const rails = await railsUsedBy(async () => {
      ran = await runShell(codeIn(guide, 'sh'), { PRIVATE_KEY: generatePrivateKey() });
    });

    expect(ran).toMatchObject({ exitCode: 0, errors: '' });
    expect(ran?.output.match(/"choices":/g)).toHaveLength(3);
    expect(ran?.output).toContain('"topUpMicro":5000000');
    expect(rails).toEqual(['api-key', 'wallet', 'x402']);
  });

  it('holds TypeScript that pays on every rail with stock clients, polls, and verifies its receipt', async () => {
    const { key } = await KeyCaller.register(world, 1_000_000n);

    let ran: Run | undefined;
    const rails = await railsUsedBy(async () => {
      ran = await runTypeScript(codeIn(guide, 'ts'), {
        PRIVATE_KEY: generatePrivateKey(),
        LAMPPOST_KEY: key,
      });
    });

    expect(ran).toMatchObject({ exitCode: 0, errors: '' });
    expect(ran?.output).toContain("status: 'done'");
    expect(ran?.output).toMatch(/^done http.*\/media\//m);
    expect(ran?.output).toMatch(/^charged true$/m);
    expect(rails).toEqual(['api-key', 'wallet', 'x402']);
  });

  it('says how to raise the cap that stock clients have, without which they refuse', async () => {
    const capped = codeIn(guide, 'ts').replace(/^client\.setSpendControls.*$/m, '');
    const beginning = capped.slice(0, capped.indexOf('const image'));

    const { errors } = await runTypeScript(
      `${beginning}\nawait pay(\`\${BASE}/v1/agent/x402/top-up\`, { method: 'POST' });`,
      { PRIVATE_KEY: generatePrivateKey() },
    );

    expect(errors).toContain('maxAmountPerPayment');
  });

  it('names every address of the document', async () => {
    const { paths } = (await world.get('/openapi.json')).body as { paths: Record<string, object> };

    const unnamed = Object.keys(paths).filter(
      (path) => !guide.includes(path) && path !== '/v1/agent/guide.md',
    );

    expect(unnamed).toEqual([]);
  });
});
