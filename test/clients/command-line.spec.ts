import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { type TypedDataDomain, verifyTypedData } from 'viem';

import { freePort } from '../../tools/chain/free-port';
import { type Run, installClient, runCommand, runShell } from '../support/code-blocks';
import { KeyCaller, WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { LoopbackServer, type Received } from '../support/loopback-server';
import { World } from '../support/world';
import { refusedOrigin } from '../support/closed-port';

/** An address without the capitals of its checksum. */
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bDA02913';
const OTHER = '0x1111111111111111111111111111111111111111';
const PAYEE = '0x2222222222222222222222222222222222222222';
const ASK = JSON.stringify({ messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 16 });
const COMMANDS = [
  'models',
  'quote',
  'image',
  'video',
  'chat',
  'balance',
  'top-up',
  'channel',
  'jobs',
  'receipt',
  'verify',
  'provenance',
  'witness',
  'keys',
  'login',
  'logout',
  'listen',
  'pay',
  'doctor',
  'completion',
];

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64');
// Read as the shop would: whatever JSON says.
// eslint-disable-next-line typescript/no-explicit-any
const unbase64 = (text: unknown): any => JSON.parse(Buffer.from(String(text), 'base64').toString());

const OFFER = {
  scheme: 'exact',
  network: 'base',
  maxAmountRequired: '20000',
  asset: USDC,
  payTo: PAYEE,
  maxTimeoutSeconds: 60,
  resource: 'https://shop.example/report',
  description: 'A report\u001B[2J\nof the weather',
  extra: { name: 'USD Coin', version: '2' },
};

/** Another seller, with the first version of x402. */
class Shop extends LoopbackServer {
  readonly payments: string[] = [];
  offers: readonly object[] = [OFFER];
  breaksAfterPayment = 0;

  protected serve({ headers, incoming }: Received, response: ServerResponse): void {
    const payment = headers['x-payment'];
    if (payment === undefined) {
      response.writeHead(402, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ x402Version: 1, accepts: this.offers, error: 'Pay first.' }));
      return;
    }
    this.payments.push(String(payment));
    if (this.payments.length <= this.breaksAfterPayment) {
      incoming.socket.destroy();
      return;
    }
    const settled = { success: true, transaction: '0xabc', network: 'base' };
    response.writeHead(200, { 'content-type': 'text/plain', 'x-payment-response': base64(settled) });
    response.end('Rain.');
  }
}

/** A badly configured proxy between a service and its callers. */
class Proxy extends LoopbackServer {
  constructor(
    private readonly target: string,
    private readonly loses: readonly string[],
  ) {
    super();
  }

  protected async serve({ method, path, headers, body }: Received, response: ServerResponse): Promise<void> {
    const answer = await fetch(`${this.target}${path}`, {
      method,
      headers: {
        'content-type': headers['content-type'] ?? 'application/json',
        origin: headers.origin ?? '',
      },
      ...(body.length > 0 && { body }),
    });
    const kept = [...answer.headers].filter(
      ([name]) => !/^(content-|transfer-|connection|keep-alive)/.test(name),
    );
    response.writeHead(answer.status === 402 ? 403 : answer.status, {
      ...Object.fromEntries(kept.filter(([name]) => !this.loses.includes(name))),
      'content-type': answer.headers.get('content-type') ?? '',
      date: 'Sun, 01 Nov 2020 00:00:00 GMT',
    });
    response.end(await answer.text());
  }
}

/** A service with real money, which sells nothing to an unknown caller. */
class RealService extends LoopbackServer {
  readonly asked: string[] = [];
  readonly keys: unknown[] = [];

  protected serve({ method, path, headers }: Received, response: ServerResponse): void {
    this.asked.push(`${method} ${path}`);
    this.keys.push(headers['x-api-key']);
    response.writeHead(path.endsWith('manifest.json') ? 200 : 402, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        sandbox: [],
        error: { message: 'This call costs $0.002.', code: 'PAYMENT_REQUIRED' },
      }),
    );
  }
}

// These tests start other programs, which takes long on a busy machine.
jest.setTimeout(120_000);

describe('the command line', () => {
  let world: World;
  let shop: Shop;
  let folder: string;
  let program: string;
  let url: string;

  beforeAll(async () => {
    const port = await freePort();
    world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}` });
    url = await world.listen(port);
    program = join(installClient(), 'cli.js');
    folder = mkdtempSync(join(tmpdir(), 'newcomer-'));
  });
  beforeEach(async () => {
    shop = await new Shop().start();
  });
  afterEach(async () => {
    await shop.stop();
    await world.expectBooksToBalance();
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await world.stop();
  });

  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> =>
    runCommand(process.execPath, [program, ...args], folder, {
      XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'config-')),
      LAMPPOST_URL: url,
      LAMPPOST_KEY: '',
      LAMPPOST_PRIVATE_KEY: '',
      ...env,
    });
  const wallet = (): { LAMPPOST_PRIVATE_KEY: string } => ({ LAMPPOST_PRIVATE_KEY: generatePrivateKey() });

  it('gives a newcomer with nothing at all a paid answer in a sandbox, and says how to go on', async () => {
    const { exitCode, output, errors } = await run(['image', 'A red fox']);
    const key = /LAMPPOST_KEY=(lp_\w+)/.exec(errors)?.[1] ?? '';

    expect({ exitCode, output }).toEqual({ exitCode: 0, output: 'a-red-fox.png\n' });
    expect(errors).toMatch(/\n\$0\.0\d+ {2}ch_\S+\n$/);
    expect(existsSync(join(folder, 'a-red-fox.png'))).toBe(true);
    const [balance, chat] = await Promise.all([
      run(['balance'], { LAMPPOST_KEY: key }),
      run(['chat', 'Hello there.'], { LAMPPOST_KEY: key }),
    ]);
    expect(balance.output).toMatch(/^\$4\.9/);
    expect(chat).toMatchObject({ exitCode: 0, errors: expect.stringMatching(/^\$0\.\d+\n$/) });
  });

  it('remembers the account that it has made, and needs no further one', async () => {
    const home = { XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'config-')) };
    const accounts = async (): Promise<number> => (await world.db.rows('select from account')).length;
    const before = await accounts();
    const misused = [
      await run(['image', 'A fox', '--max', 'abc'], home),
      await run(['video', 'A fox', '--duration', 'long'], home),
      await run(['image', 'A fox', '--image', 'no-such-file.png'], home),
      await run(['image', 'A fox', '-o', 'no-such-folder/fox.png'], home),
      await run(['image', 'A fox', '-o', 'no-such-folder/'], home),
      await run(['image', 'A fox', '-o', '.'], home),
    ];
    expect([misused.map(({ exitCode }) => exitCode), await accounts()]).toEqual([[2, 2, 2, 2, 2, 2], before]);

    const first = await run(['chat', 'Hello.'], home);
    const second = await run(['chat', 'Hello.'], home);
    const file = join(home.XDG_CONFIG_HOME, 'lamppost', 'keys.json');

    expect(first.errors).toContain('LAMPPOST_KEY=');
    expect(second.errors).toMatch(/^\$0\.\d+\n$/);
    expect(await accounts()).toBe(before + 1);
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  });

  it('logs in with a key that the service knows, and out', async () => {
    const home = { XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'config-')) };
    const { key } = await KeyCaller.register(world, 1_000_000n);
    const wrong = await run(['login', '--key', 'lp_0123456789'], home);
    const login = await run(['login', '--key', key], home);
    const balance = await run(['balance'], home);
    const other = await new RealService().start();
    const elsewhere = await run(['balance', '--url', other.origin], home);
    await other.stop();
    const logout = await run(['logout'], home);
    const after = await run(['balance'], home);

    expect([wrong.exitCode, login.exitCode, balance.output]).toEqual([1, 0, '$1.00\n']);
    expect(login.output + login.errors).not.toContain(key);
    expect(elsewhere.exitCode).not.toBe(0);
    expect(other.keys.every((one) => one === undefined)).toBe(true);
    expect([logout.exitCode, after.exitCode]).toEqual([0, 1]);
    expect(logout.output).toContain('`lamppost login`');
  });

  it('prints a new key alone, for a pipe', async () => {
    const { key } = await KeyCaller.register(world, 1_000_000n);
    const command = ['keys', 'create', 'helper', '--max', '0.5', '--expires', '12h'];
    const { errors, output } = await run(command, { LAMPPOST_KEY: key });

    expect(output).toMatch(/^lp_\w+\n$/);
    expect(errors).toContain('12 hours');
  });

  it('names the option for a limit to a caller who gives another one, or none, or a second name', async () => {
    const { key } = await KeyCaller.register(world, 1_000_000n);
    const create = (...args: readonly string[]): Promise<Run> =>
      run(['keys', 'create', 'helper', ...args], { LAMPPOST_KEY: key });
    const [other, misspelt, stray, none, two] = await Promise.all([
      create('--limit', '0.5'),
      create('--mx', '0.5'),
      create('--tokens', '5'),
      create(),
      create('second', '--max', '0.5'),
    ]);

    expect(other.errors).toContain('`keys` takes --max, --expires.');
    expect(misspelt.errors).toContain('Did you mean --max?');
    expect(stray.errors).toContain('`keys` takes --max, --expires.');
    expect(none.errors).toContain('--max 0.5');
    expect(two.errors).toContain('`keys create NAME`');
    expect([other, misspelt, stray, none, two].map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2, 2]);
    expect((await run(['keys'], { LAMPPOST_KEY: key })).output).toBe('No keys.\n');
  });

  it('hands on a part of the money of a key, lists whom it has given some, and takes it back', async () => {
    const { errors } = await run(['chat', 'Hello.']);
    const env = { LAMPPOST_KEY: /LAMPPOST_KEY=(lp_\w+)/.exec(errors)?.[1] ?? '' };
    const made = JSON.parse((await run(['keys', 'create', 'helper', '--max', '0.5', '--json'], env)).output);

    const left = await run(['balance'], { LAMPPOST_KEY: made.key });
    const list = await run(['keys'], env);
    const unlimited = await run(['keys', 'create', 'helper'], env);
    const ended = await run(['keys', 'delete', made.id], env);
    const after = await run(['balance'], { LAMPPOST_KEY: made.key });

    expect([left.output, list.output]).toEqual([
      '$0.50\n',
      `${made.id}  helper  $0.00 spent of $0.50  until ${made.expiresAt}\n`,
    ]);
    expect([unlimited.exitCode, ended.exitCode, after.exitCode]).toEqual([2, 0, 1]);
    expect(after.errors).toMatch(/guides\/errors#KEY_/);
  });

  it('leaves the key of an answer that is stopped with Ctrl-C for a repetition, for a quarter of an hour', async () => {
    const caller = await new WalletCaller().fund(world, 1_000_000n);
    const env = { ...process.env, LAMPPOST_URL: url, LAMPPOST_PRIVATE_KEY: caller.privateKey };
    const command = [program, 'chat', 'Hello [[delay 60s]].'];
    const child = spawn(process.execPath, command, { env: { ...env, LAMPPOST_KEY: '' }, stdio: 'pipe' });
    const ended = once(child, 'close');
    const payer = caller.wallet.toLowerCase();
    const has = async (what: string): Promise<boolean> => (await world.db.rows(what, [payer])).length > 0;
    await expectEventually(() => has(`select 1 from charge where payer = $1 and state = 'held'`));
    child.kill('SIGINT');

    expect((await ended)[0]).toBe(130);
    const lasting = `select 1 from api_key where wallet = $1 and deleted_at is null
      and (expires_at is null or expires_at > now() + interval '15 minutes')`;
    expect(await has(lasting)).toBe(false);
    await expectEventually(() => has(`select 1 from charge where payer = $1 and state <> 'held'`));
  });

  it('makes no account where money is real, and says what to set', async () => {
    const real = await new RealService().start();
    const { exitCode, errors } = await run(['chat', 'Hello.', '--url', real.origin]);
    await real.stop();

    expect(exitCode).toBe(3);
    expect(errors).toContain('Set LAMPPOST_KEY to a key');
    expect(real.asked).toEqual(['GET /v1/agent/manifest.json', 'POST /v1/agent/chat']);
  });

  it('helps with each command, and takes no option for what it is not', async () => {
    const [all, ...each] = await Promise.all(
      [['--help'], ...COMMANDS.map((name) => [name, '--help'])].map((args) => run(args)),
    );

    expect(all?.output.match(/^ {2}lamppost ([\w-]+) {2,}/gm)).toHaveLength(COMMANDS.length);
    each.forEach(({ exitCode, output }, at) => {
      expect([COMMANDS[at], exitCode]).toEqual([COMMANDS[at], 0]);
      expect(output).toContain(`For example:\n  lamppost ${COMMANDS[at]}`);
    });
    expect(await run(['models', '--max', '1'])).toMatchObject({ exitCode: 2, output: '' });
    expect(await run(['image', '--colour', 'x'])).toMatchObject({ exitCode: 2, output: '' });
  });

  it('says at once where nobody answers', async () => {
    const nowhere = await refusedOrigin();

    const { exitCode, errors } = await run(['models', '--url', nowhere]);

    expect(exitCode).toBe(4);
    expect(errors).toContain(nowhere);
  });

  it('finishes words in bash, and knows all commands in every shell', async () => {
    const scripts = await Promise.all(['bash', 'zsh', 'fish'].map((shell) => run(['completion', shell])));

    for (const { exitCode, output } of scripts) {
      expect(exitCode).toBe(0);
      expect(COMMANDS.filter((name) => !output.includes(name))).toEqual([]);
    }
    const typed = `${scripts[0]?.output}
      COMP_WORDS=(lamppost do) COMP_CWORD=1; _lamppost; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(lamppost image --a) COMP_CWORD=2; _lamppost; echo "\${COMPREPLY[@]}"`;
    expect(await runShell(typed, {})).toMatchObject({ errors: '', output: 'doctor\n--aspect --asset\n' });
  });

  describe('paying an address', () => {
    it('shows what is asked, and signs nothing before somebody has agreed', async () => {
      const { exitCode, errors } = await run(['pay', shop.origin], wallet());

      expect(exitCode).toBe(3);
      expect(errors.split('\n').slice(0, 7)).toEqual([
        `${shop.origin}/`,
        '  asks   $0.02 in USDC',
        '  on     Base (eip155:8453)',
        `  to     ${PAYEE}`,
        '  for    A report [2J of the weather  https://shop.example/report',
        '  within 60 seconds',
        'Nothing was signed: add --yes to pay without a question.',
      ]);
      expect(shop.payments).toEqual([]);
    });

    it('signs exactly what it has shown, and sends the same payment again when the connection breaks', async () => {
      shop.breaksAfterPayment = 1;
      const env = wallet();
      const { exitCode, output, errors } = await run(['pay', shop.origin, '--yes'], env);

      expect({ exitCode, output, errors }).toMatchObject({ exitCode: 0, output: 'Rain.\n' });
      expect(errors).toContain(`Paid $0.02 to ${PAYEE}, transaction 0xabc.`);
      expect(shop.payments).toHaveLength(2);
      expect(shop.payments[1]).toBe(shop.payments[0]);
      const { network, payload } = unbase64(shop.payments[0]);
      const { authorization, signature } = payload;
      const { address } = privateKeyToAccount(env.LAMPPOST_PRIVATE_KEY as `0x${string}`);
      expect([network, authorization.from, authorization.to, authorization.value]).toEqual([
        'base',
        address,
        PAYEE,
        '20000',
      ]);
      const domain: TypedDataDomain = {
        name: 'USD Coin',
        version: '2',
        chainId: 8_453,
        verifyingContract: USDC.toLowerCase() as `0x${string}`,
      };
      const fields = ['from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'] as const;
      const types = ['address', 'address', 'uint256', 'uint256', 'uint256', 'bytes32'];
      const isSigned = await verifyTypedData({
        address,
        domain,
        types: { TransferWithAuthorization: fields.map((name, at) => ({ name, type: types[at]! })) },
        primaryType: 'TransferWithAuthorization',
        message: authorization,
        signature,
      });
      expect(isSigned).toBe(true);
    });

    it.each([
      ['another token', { asset: OTHER }, []],
      ['USDC of a chain that nobody knows', { network: 'eip155:1' }, []],
      ['another scheme', { scheme: 'upto' }, []],
      ['a signature that is good for years', { maxTimeoutSeconds: 100_000_000 }, []],
      ['more than a dollar', { maxAmountRequired: '1000001' }, []],
      ['more than --max', {}, ['--max', '0.01']],
      ['a price that is none', { maxAmountRequired: '-1' }, []],
    ])('refuses %s, whatever else was agreed', async (_, change, more) => {
      shop.offers = [{ ...OFFER, ...change }];
      const { exitCode, errors, output } = await run(['pay', shop.origin, '--yes', ...more], wallet());

      expect({ exitCode, output }).toEqual({ exitCode: 3, output: '' });
      expect(errors).toContain('Nothing was signed');
      expect(shop.payments).toEqual([]);
    });

    it('pays in another token where that was named', async () => {
      shop.offers = [{ ...OFFER, asset: OTHER, network: 'eip155:1' }];
      const named = ['pay', shop.origin, '--yes', '--asset', OTHER];
      const elsewhere = await run(named, wallet());
      const { exitCode } = await run([...named, '--network', 'ethereum'], wallet());

      expect([elsewhere.exitCode, elsewhere.errors]).toEqual([
        3,
        expect.stringContaining('the network eip155:1 is not one of yours. --network names one.'),
      ]);
      expect([exitCode, shop.payments.length]).toEqual([0, 1]);
    });

    it('pays in USDC on a network that was named, also by the environment', async () => {
      shop.offers = [{ ...OFFER, asset: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', network: 'polygon' }];
      const env = { ...wallet(), LAMPPOST_NETWORK: 'base,polygon' };
      const { exitCode, errors } = await run(['pay', shop.origin, '--yes'], env);

      expect([exitCode, unbase64(shop.payments[0]).network]).toEqual([0, 'polygon']);
      expect(errors).toContain('  asks   $0.02 in USDC\n  on     Polygon (eip155:137)\n');
      expect((await run(['pay', shop.origin, '--network', 'poligon'], env)).exitCode).toBe(2);
    });

    it('pays this service, and says what came of it', async () => {
      const { exitCode, output } = await run(
        ['pay', `${url}/v1/agent/chat`, '-d', ASK, '--yes', '--json'],
        wallet(),
      );

      expect(exitCode).toBe(0);
      expect(JSON.parse(output)).toMatchObject({
        status: 200,
        paid: true,
        amount: '2000',
        charge: expect.stringMatching(/^ch_/),
        body: { choices: [expect.anything()] },
      });
    });

    it('writes an answer that asks for nothing to where it is wanted', async () => {
      const { exitCode, output } = await run(['pay', `${url}/v1/agent/models`, '-o', 'models.json']);

      expect({ exitCode, output }).toEqual({ exitCode: 0, output: 'models.json\n' });
      expect(JSON.parse(readFileSync(join(folder, 'models.json'), 'utf8'))).toHaveProperty('models');
    });
  });

  describe('examining a service', () => {
    const findingsOf = ({ output }: Run, outcome: string): readonly string[] =>
      (JSON.parse(output).findings as { name: string; outcome: string }[])
        .filter((one) => one.outcome === outcome)
        .map(({ name }) => name);

    /** The events of a key contain a charge a moment after its answer. */
    const showsCharge = async (key: string): Promise<boolean> => {
      const answer = await fetch(`${url}/v1/agent/events?types=charge.charged`, {
        headers: { authorization: `Bearer ${key}` },
      });
      return ((await answer.json()) as { events: unknown[] }).events.length > 0;
    };

    it('finds nothing to mend at one that is well, its money and receipts included', async () => {
      const { errors } = await run(['chat', 'Hello.', '--max', '1']);
      const key = /LAMPPOST_KEY=(lp_\w+)/.exec(errors)?.[1] ?? '';
      await expectEventually(() => showsCharge(key));

      const plain = await run(['doctor', url]);
      const whole = await run(['doctor', url, '--key', key, '--json']);

      expect(plain).toMatchObject({ exitCode: 0, errors: '' });
      expect(plain.output).toContain('Nothing has to be fixed.');
      expect([whole.exitCode, findingsOf(whole, 'bad'), findingsOf(whole, 'skipped')]).toEqual([
        0,
        [],
        ['closed routes'],
      ]);
      expect(findingsOf(whole, 'ok')).toEqual(expect.arrayContaining(['dry run', 'receipt proof', 'prices']));
    });

    it('names faults of proxies: swallowed 402s, lost headers, another address, a clock of its own', async () => {
      const proxy = await new Proxy(url, [
        'payment-required',
        'access-control-allow-origin',
        'x-request-id',
      ]).start();
      const found = await run(['doctor', proxy.origin, '--json']);
      await proxy.stop();

      expect(found.exitCode).toBe(1);
      expect(findingsOf(found, 'bad')).toEqual([
        'clock',
        'manifest',
        'errors',
        'browsers',
        'tools',
        'prices',
        'payment asked',
      ]);
      for (const { outcome, mend } of JSON.parse(found.output).findings) {
        expect([outcome, typeof mend]).toEqual([outcome, /bad|look/.test(outcome) ? 'string' : 'undefined']);
      }
    });

    it('says when nobody is there', async () => {
      const { exitCode, output } = await run(['doctor', await refusedOrigin()]);

      expect(exitCode).toBe(1);
      expect(output).toMatch(/✗ reachable .*ECONNREFUSED|✗ reachable .*no answer/);
    });
  });
});
