import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { freePort } from '../../tools/chain/free-port';
import { isRunning, newFolder, removeFolders } from '../support/built-service';
import { codeIn, installClient, runShell, runTypeScript } from '../support/code-blocks';
import { expectEventually } from '../support/eventually';

const ROOT = join(__dirname, '..', '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The code of one section of the README. */
const codeOf = (title: string, language: string): string => {
  const [, section] = README.split(new RegExp(`^###? ${title}$`, 'm'));
  const code = codeIn(section!.split(/^##/m)[0]!, language);
  expect([title, code]).toEqual([title, expect.stringMatching(/\S/)]);
  return code;
};

describe('the calls of the README, on the Node that runs this test', () => {
  let url: string;
  let npm: number;

  beforeAll(async () => {
    installClient();
    const port = String(await freePort());
    url = `http://127.0.0.1:${port}`;
    const child = spawn('npm', ['start', '--ignore-scripts'], {
      cwd: ROOT,
      stdio: 'ignore',
      env: {
        ...process.env,
        // npm runs the first `node` of the path.
        PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
        PORT: port,
        DATA_DIR: join(newFolder(), 'data'),
        LOG_LEVEL: 'silent',
      },
    });
    await once(child, 'spawn');
    npm = child.pid!;
    await expectEventually(() =>
      fetch(`${url}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  });

  afterAll(async () => {
    process.kill(npm, 'SIGTERM');
    await expectEventually(() => !isRunning(npm));
    removeFolders();
  });

  /** The address of the README becomes the address of this service. */
  const here = (code: string): string => code.replaceAll('127.0.0.1:3000', new URL(url).host);
  const shell = (code: string) => runShell(here(code), {});
  const program = (code: string, env: Readonly<Record<string, string>> = {}) =>
    runTypeScript(here(code), env);

  it('are answered: the catalog and a quote', async () => {
    const { exitCode, output } = await shell(codeOf('First calls', 'sh'));

    expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.stringContaining('"quoteId"') });
  });

  it('make one more key when they are run again', async () => {
    const byKey = codeOf('With an API key', 'sh');

    const { output } = await shell(
      `${byKey}\nprintf '\\nFIRST=%s\\n' "$KEY"\n${byKey}\nprintf '\\nSECOND=%s' "$KEY"`,
    );

    const [, first] = /^FIRST=(lp_\w+)$/m.exec(output) ?? [];
    const [, second] = /^SECOND=(lp_\w+)$/m.exec(output) ?? [];
    expect([typeof first, typeof second, first === second]).toEqual(['string', 'string', false]);
    expect(output.match(/HTTP\/1[.]1 200 OK/g)).toHaveLength(2);
  });

  it('are paid with a key, also by the package and by MCP', async () => {
    const byKey = await shell(`${codeOf('With an API key', 'sh')}\nprintf '\\nKEY=%s' "$KEY"`);
    const [, KEY = ''] = /^KEY=(lp_\w+)$/m.exec(byKey.output) ?? [];

    expect(byKey.output).toMatch(/HTTP\/1[.]1 200 OK\r\n[^]*\r\nx-charge-state: charged\r\n/);

    const byPackage = await program(
      `const [BASE, KEY] = ['${url}', '${KEY}'];\n${codeOf('From TypeScript', 'ts')}
      console.log((await lamppost.budget.state()).spentMicro > 0);`,
    );
    expect(byPackage).toEqual({ exitCode: 0, errors: '', output: 'true\n' });

    const byMcp = await program(
      `${codeOf('As tools \\(MCP\\)', 'ts')}\nconsole.log(image.isError ?? false); await client.close();`,
      { KEY },
    );
    expect(byMcp).toEqual({ exitCode: 0, errors: '', output: 'false\n' });
  });

  it('are paid by a wallet: each call by x402, and from its balance', async () => {
    const prepaid = codeOf('From a prepaid wallet', 'ts').replace(
      /await fetch\(/,
      'const paid = await fetch(',
    );
    const { exitCode, output, errors } = await program(`${codeOf('With x402, from a stock client', 'ts')}
      await pay('${url}/v1/agent/x402/top-up?usd=5', { method: 'POST' });
      ${prepaid}
      console.log(answer.headers.get('x-charge-state'), paid.status, paid.headers.get('x-charge-state'));`);

    expect({ exitCode, errors, end: output.trim().split('\n').at(-1) }).toEqual({
      exitCode: 0,
      errors: '',
      end: 'charged 200 charged',
    });
  });
});
