import { join } from 'node:path';

import { freePort } from '../../tools/chain/free-port';
import { runCommand } from '../support/code-blocks';
import { World } from '../support/world';

const ROOT = join(__dirname, '..', '..');
const CRAWLER = join('test', 'clients', 'node_modules', '.bin', 'discovery');

// These tests start another program, which takes long on a busy machine.
jest.setTimeout(120_000);

/** The unchanged crawler of a directory of paid APIs. */
describe('a crawler of paid APIs', () => {
  let world: World;
  let url: string;

  beforeAll(async () => {
    const port = await freePort();
    world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}` });
    url = await world.listen(port);
  });
  afterAll(() => world.stop());

  it('finds every route of the document, our advice, and nothing to warn of', async () => {
    const { paths } = (await world.get('/openapi.json')).body as { paths: Record<string, object> };

    const { exitCode, output } = await runCommand(process.execPath, [CRAWLER, url, '-v'], ROOT, {});

    expect(exitCode).toBe(0);
    expect(output).not.toMatch(/\[(warn|error)\]/i);
    const routes = Object.values(paths).flatMap((item) => Object.keys(item)).length;
    expect(output).toMatch(new RegExp(`Routes: +${routes}\\b`));
    expect(output).toContain('No call needs an account.');
  });

  it('finds each paid address payable, with what goes in and what comes out', async () => {
    const { resources } = (await world.get('/.well-known/x402')).body as { resources: string[] };

    const checks = await Promise.all(
      resources.map((resource) =>
        runCommand(process.execPath, [CRAWLER, 'check', resource, '--json'], ROOT, {}),
      ),
    );

    for (const { output } of checks) {
      const { found, advisories, warnings } = JSON.parse(output) as Record<string, unknown>;
      expect({ found, warnings }).toEqual({ found: true, warnings: [] });
      expect(advisories).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            protocols: ['x402'],
            inputSchema: expect.anything(),
            outputSchema: expect.anything(),
          }),
        ]),
      );
    }
  });
});
