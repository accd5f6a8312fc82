import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { getEncoding } from 'js-tiktoken';
import { generatePrivateKey } from 'viem/accounts';

import { freePort } from '../../tools/chain/free-port';
import { GUIDES } from '../../src/faces/discovery/guides';
import { errorCodes } from '../../src/kernel/error-code';
import { KeyCaller } from '../support/caller';
import { type Run, installClient, runPython, runShell, runTypeScript } from '../support/code-blocks';
import { World } from '../support/world';

// These tests start other programs, which takes long on a busy machine.
jest.setTimeout(120_000);

/** An agent reads the guide of the whole API at once. */
const TOKENS_MAX = 6_000;

const NAMES = GUIDES.map(({ name }) => name);
const LANGUAGES = ['sh', 'ts', 'python', 'json', 'json http-node', 'console', 'toml'];

interface Block {
  readonly language: string;
  readonly code: string;
}

const blocksOf = (markdown: string): readonly Block[] =>
  [...markdown.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(([, language = '', code = '']) => ({
    language,
    code,
  }));

const codeOf = (markdown: string, wanted: string): readonly string[] =>
  blocksOf(markdown).flatMap(({ language, code }) => (language === wanted ? [code] : []));

const hasPython = (): boolean => spawnSync('python3', ['--version']).status === 0;
/** A machine may lack packages of Python that a page needs. */
const canImport = (code: string): boolean =>
  [...code.matchAll(/^(?:from|import) (\w+)/gm)].every(
    ([, name]) =>
      spawnSync('python3', ['-c', `import ${name}`], { env: { ...process.env, PYTHONPATH } }).status === 0,
  );
/** The folder of our package for Python. */
const PYTHONPATH = join(__dirname, '..', '..', 'clients', 'python', 'src');

describe('the guides', () => {
  let world: World;
  let base: string;
  let texts: ReadonlyMap<string, string>;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const [port, hookPort] = [await freePort(), await freePort()];
    world = await World.start({
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      RATE_LIMIT_MEDIA: '0',
      FETCH_ALLOW_HOSTS: `127.0.0.1:${hookPort}`,
    });
    const { key } = await KeyCaller.register(world, 20_000_000n);
    base = await world.listen(port);
    env = {
      LAMPPOST_URL: base,
      LAMPPOST_KEY: key,
      PRIVATE_KEY: generatePrivateKey(),
      PORT: String(hookPort),
      HOOK_URL: `http://127.0.0.1:${hookPort}`,
      PYTHONPATH,
    };
    const answers = await Promise.all(NAMES.map((name) => world.get(`/guides/${name}.md`)));
    texts = new Map(answers.map(({ body }, at) => [NAMES[at]!, String(body)]));
    installClient();
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const textOf = (name: string): string => texts.get(name) ?? '';

  it.each(NAMES)('hold code that runs: %s', async (name) => {
    const runs: [string, Run][] = [];
    const shell = codeOf(textOf(name), 'sh');
    if (shell.length > 0) runs.push(['sh', await runShell(shell.join('\n'), env)]);
    const programs = await Promise.all(
      codeOf(textOf(name), 'ts').map(async (code): Promise<[string, Run]> => [
        code,
        await runTypeScript(code, env),
      ]),
    );
    runs.push(...programs);
    for (const code of codeOf(textOf(name), 'python')
      .filter(() => hasPython())
      .filter(canImport)) {
      runs.push([code, await runPython(code, env)]);
    }

    for (const [code, { exitCode, errors, output }] of runs) {
      expect({ code, exitCode, errors }).toEqual({ code, exitCode: 0, errors: '' });
      // No command of the pages was refused, and each has an output.
      expect({
        code,
        said: /"error":(?!null)|invalid_request/.test(output),
        isSilent: output === '',
      }).toEqual({
        code,
        said: false,
        isSilent: false,
      });
    }
  });

  it('hold calls for HTTP nodes that work as they are filled in', async () => {
    const nodes = codeOf(textOf('recipes'), 'json http-node');

    const answers = await Promise.all(
      nodes.map(async (text) => {
        const { method, url, headers, body } = JSON.parse(text.replace('lp_…', env['LAMPPOST_KEY']!));
        const answer = await fetch(url, {
          method,
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        return [answer.status, answer.headers.get('x-charge-state')];
      }),
    );

    expect(answers).toEqual([
      [200, 'charged'],
      [200, 'charged'],
    ]);
  });

  it('say what their code is, and hold JSON that is some', () => {
    const blocks = [...texts.values()].flatMap(blocksOf);

    expect(blocks.map(({ language }) => language).filter((one) => !LANGUAGES.includes(one))).toEqual([]);
    for (const { code, language } of blocks) {
      if (language.startsWith('json')) expect(() => JSON.parse(code) as unknown).not.toThrow();
    }
  });

  it('are pages that can be read without a script, and lead only where something is', async () => {
    const pages = await Promise.all(
      ['', ...NAMES.map((name) => `/${name}`)].map(async (name) => {
        const { status, body } = await world.get(`/guides${name}`);
        expect([name, status]).toEqual([name, 200]);
        return { address: `/guides${name}`, html: String(body) };
      }),
    );
    const ids = new Map(
      pages.map(({ address, html }) => [address, [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)]),
    );
    const links = pages.flatMap(({ address, html }) =>
      [...html.slice(html.indexOf('<body>')).matchAll(/ href="([^"]+)"/g)].map(([, href = '']) => ({
        address,
        href,
        url: new URL(href, `${base}/`),
      })),
    );

    const own = links.filter(({ url }) => url.origin === base && !/\/(docs|mcp)$/.test(url.pathname));
    const anchors = own.filter(({ url }) => url.hash !== '');
    expect(
      anchors.filter(({ url }) => !ids.get(url.pathname)?.includes(decodeURIComponent(url.hash.slice(1)))),
    ).toEqual([]);
    const addresses = [...new Set(own.map(({ url }) => url.pathname + url.search))];
    const answers = await Promise.all(
      addresses.map(async (path) => [path, (await world.get(path)).status] as const),
    );
    expect(answers.filter(([, status]) => status >= 400)).toEqual([]);
    expect(links.filter(({ url, href }) => url.origin !== base && !href.startsWith('https://'))).toEqual([]);
  });

  it('explain every code that an error can have, each where its answer leads', async () => {
    const { body } = await world.get('/guides/errors');
    const ids = [...String(body).matchAll(/<h3 id="([A-Z_]+)"/g)].map(([, id]) => id);

    expect(new Set(ids)).toEqual(new Set(errorCodes().map(({ code }) => code)));
    const { docs } = (await world.post('/v1/agent/generate', { prompt: 'x', duration: -1 })).body;
    expect(docs).toBe(`${base}/guides/errors#INVALID_REQUEST`);
  });

  it(`contain one for agents, of less than ${TOKENS_MAX} tokens`, async () => {
    const { body } = await world.get('/v1/agent/guide.md');

    expect(getEncoding('o200k_base').encode(String(body)).length).toBeLessThan(TOKENS_MAX);
  });

  it('can be found: by language models, and by a search', async () => {
    const llms = String((await world.get('/llms.txt')).body);
    const sections = (await world.get('/guides/search.json')).body as { guide: string; anchor: string }[];

    for (const name of NAMES) expect(llms).toContain(`${base}/guides/${name}.md`);
    expect(new Set(sections.map(({ guide }) => guide))).toEqual(new Set(NAMES));
    expect(sections).toContainEqual(expect.objectContaining({ guide: 'errors', anchor: 'RATE_LIMITED' }));
  });
});
