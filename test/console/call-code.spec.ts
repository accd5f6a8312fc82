import { generatePrivateKey } from 'viem/accounts';

import { type ShownCall, pythonOf, samplesOf, scriptOf } from '../../clients/console/parts/call-code';
import { freePort } from '../../tools/chain/free-port';
import { KeyCaller } from '../support/caller';
import { type Run, runPython, runShell, runTypeScript } from '../support/code-blocks';
import { World } from '../support/world';

// These tests start other programs, which takes long on a busy machine.
jest.setTimeout(120_000);

/** Characters that could end a string or a command early. */
const PROMPT = `It's "$HOME" \`id\` \\ \${x} 'JSON'\nJSON\n# 🦊 "a": 1`;

const VALUES = {
  text: PROMPT,
  yes: true,
  no: false,
  nothing: null,
  left: undefined,
  list: [1, 'two', { three: [] }],
  '2nd': {},
  __proto__x: 1,
};

describe('code of a call', () => {
  let world: World;
  let caller: KeyCaller;
  let base: string;
  const RUN: Readonly<Record<string, (code: string, env: Record<string, string>) => Promise<Run>>> = {
    curl: runShell,
    python: runPython,
    typescript: runTypeScript,
    x402: runTypeScript,
    mcp: runTypeScript,
  };

  beforeAll(async () => {
    const port = await freePort();
    world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}` });
    base = await world.listen(port);
    caller = await KeyCaller.register(world, 10_000_000n);
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const balance = async (): Promise<bigint> => {
    const { body } = await world.get('/v1/account', { cookie: caller.cookie });
    return BigInt(body.balanceMicro as number);
  };

  const chat = async (): Promise<ShownCall> => {
    const messages = [{ role: 'user', content: PROMPT }];
    const body = { model: 'lumen-flash', messages, max_tokens: 8, temperature: 0.5 };
    const { body: quote } = await world.post('/v1/agent/quote', { modelId: 'lumen-flash', ...body });
    const price = { micro: quote.priceMicro as number, text: '$0.002', isExact: true };
    return { base, path: '/v1/agent/chat', tool: 'chat', isPaidByX402: true, body, price };
  };

  const run = (shown: ShownCall, id: string): Promise<Run> => {
    const { code } = samplesOf(shown).find((sample) => sample.id === id)!;
    return RUN[id]!(code, { LAMPPOST_KEY: caller.key, WALLET_KEY: generatePrivateKey() });
  };

  it.each(['curl', 'python', 'typescript', 'x402', 'mcp'])(
    'runs as it is in %s, whatever the prompt is, and pays the price in it',
    async (id) => {
      const shown = await chat();
      const before = await balance();
      const { exitCode, output, errors } = await run(shown, id);

      expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
      expect(output).toContain('[sandbox]');
      const paid = id === 'x402' ? 0n : BigInt(shown.price!.micro);
      expect(before - (await balance())).toBe(paid);
    },
  );

  it.each(['curl', 'python', 'typescript'])('refuses in %s to pay more than its price', async (id) => {
    const shown = await chat();
    const before = await balance();
    const { exitCode, output, errors } = await run({ ...shown, price: { ...shown.price!, micro: 1 } }, id);

    if (id === 'curl') expect(output).toContain('PRICE_ABOVE_MAX');
    else
      expect({ exitCode, errors }).toEqual({ exitCode: 1, errors: expect.stringMatching(/PRICE_ABOVE_MAX/) });
    expect(await balance()).toBe(before);
  });

  it.each(['curl', 'python', 'typescript'])('reads a stream in %s', async (id) => {
    const body = { messages: [{ role: 'user', content: PROMPT }], max_tokens: 8, stream: true };
    const shown = { base, path: '/v1/chat/completions', tool: undefined, isPaidByX402: false, body };
    const { exitCode, output, errors } = await run(shown, id);

    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output.trim().endsWith('data: [DONE]')).toBe(true);
    expect(samplesOf(shown).map((sample) => sample.id)).toEqual(['curl', 'python', 'typescript']);
  });

  it('writes every value of JSON in both languages', async () => {
    const json = JSON.stringify(VALUES);
    const python = await runPython(`import json; print(json.dumps(${pythonOf(VALUES)}))`, {});
    const script = await runTypeScript(`console.log(JSON.stringify(${scriptOf(VALUES)}))`, {});

    expect(JSON.parse(python.output)).toEqual(JSON.parse(json));
    expect(JSON.parse(script.output)).toEqual(JSON.parse(json));
    expect(scriptOf(JSON.parse('{"__proto__":1}'))).toContain(`['__proto__']: 1`);
  });
});
