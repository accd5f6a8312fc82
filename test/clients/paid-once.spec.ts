import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { Budget, CallError, Lamppost } from '../../clients/typescript/src/lamppost';
import { freePort } from '../../tools/chain/free-port';
import { KeyCaller, WalletCaller } from '../support/caller';
import { World } from '../support/world';
import { BYTES, LyingNetwork, type Strike } from './lying-network';
import { type OneCall, Signer, callOnce } from './one-call';

/** Of each package. The nightly run makes a thousand. */
const RUNS = Number(process.env['PAID_ONCE_RUNS'] ?? 75);
const SEED = Number(process.env['PAID_ONCE_SEED'] ?? 1);
/** The calls mostly wait, so many run at once. */
const AT_ONCE = Number(process.env['PAID_ONCE_AT_ONCE'] ?? 24);
const TIMEOUT_MS = 1_200;
const RAILS = ['key', 'balance', 'x402'] as const;
const KINDS = ['image', 'film', 'start', 'chat', 'stream'] as const;
const PYTHON = join(__dirname, '..', '..', 'clients', 'python', 'src');

const WORDS = { image: 'a lamp', film: 'waves', start: 'a lamp', chat: 'Hello.', stream: 'Hello.' };

/** Per call, nobody can pay for a stream, so that rail has a top-up. */
interface Asked extends OneCall {
  readonly rail: (typeof RAILS)[number];
  readonly url: string;
  readonly tries: number | undefined;
  readonly account: WalletCaller['account'];
}

const nameOf = ({ kind, side, byte }: Strike): string =>
  kind.startsWith('lie') ? kind : `${kind} ${side} ${byte}`;

/** The struck bytes are counted, because a long run is to strike at each of them. */
const report = (struck: readonly Strike[]): void => {
  const bytes = (side: Strike['side']): number =>
    new Set(struck.filter((one) => one.side === side && !one.kind.startsWith('lie')).map(({ byte }) => byte))
      .size;
  process.stderr.write(
    `${struck.length} faults, at ${bytes('request')} bytes of requests and ${bytes('answer')} of answers, of the first ${BYTES}.\n`,
  );
};

interface Outcome {
  readonly charge?: string;
  readonly lost: readonly string[];
  readonly spent?: number;
  readonly reserved?: number;
}

jest.setTimeout(60_000 + RUNS * 4_000);

describe(`a call through a network that loses, cuts, delays and lies, in ${RUNS} runs of each package`, () => {
  let world: World;
  let baseUrl: string;
  let caller: KeyCaller;
  let rich: WalletCaller;
  let signer: Signer;

  beforeAll(async () => {
    const port = await freePort();
    world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}` });
    baseUrl = await world.listen(port);
    caller = await KeyCaller.register(world, 5_000_000_000n);
    rich = await new WalletCaller().fund(world, 5_000_000_000n);
    signer = await new Signer().start();
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await signer.stop();
    await world.stop();
  });

  const askedOf = (at: number, tag: string, url: string): Asked => {
    const rail = RAILS[at % RAILS.length]!;
    const kind = KINDS[Math.floor(at / RAILS.length) % KINDS.length]!;
    const { account } = rail === 'balance' ? rich : new WalletCaller();
    signer.accounts.set(account.address, account);
    // Half of the calls try by themselves. The others give up at once, so that their callers go on.
    const tries = at % 2 === 0 ? undefined : 1;
    const isTopUp = rail === 'x402' && kind === 'stream';
    return { tag, rail, kind: isTopUp ? 'top-up' : kind, words: WORDS[kind], url, tries, account };
  };

  /** Calls, and goes on after each error by what the error says. */
  const byTypeScript = async (asked: Asked): Promise<Outcome> => {
    const { rail, url, tries, account } = asked;
    const payers = {
      key: { key: caller.key },
      balance: { wallet: account, pay: 'balance' as const },
      x402: { wallet: account },
    };
    const budget = new Budget({ total: 3, perCall: 2 });
    // A wallet signs for the address of the service, and the results are there.
    const send: typeof fetch = (input, init) => fetch((input as URL).href.replace(baseUrl, url), init);
    const client = new Lamppost({
      baseUrl,
      fetch: send,
      timeoutMs: TIMEOUT_MS,
      tries,
      budget,
      onRetry: () => undefined,
      ...payers[rail],
    });
    const lost: string[] = [];
    const known = {};
    let key: string | undefined;
    for (let turn = 0; turn < 40; turn += 1) {
      try {
        const charge = await callOnce(client, asked, key, known);
        const { spentMicro, reservedMicro } = await budget.state();
        return { charge, lost, spent: spentMicro, reserved: reservedMicro };
      } catch (error) {
        lost.push(String(error).slice(0, 300));
        if (!(error instanceof CallError)) return { lost };
        key = error.idempotencyKey ?? key;
        await new Promise((resolve) => setTimeout(resolve, 50 * turn));
        if (error.idempotencyKey === undefined && error.jobId === undefined)
          return { lost: [...lost, 'no way on'] };
      }
    }
    return { lost };
  };

  /** The faults of an outcome. A call must be answered, paid once, and counted once. */
  const faultsOf = async (
    asked: Asked,
    { charge, lost, spent, reserved }: Outcome,
    struck: readonly Strike[],
  ): Promise<readonly string[]> => {
    const { kind, rail, tag, account } = asked;
    const [of, is] = kind === 'top-up' ? ['payer', account.address.toLowerCase()] : ['tag', tag];
    const rows = await world.db.rows<{ price: string; state: string }>(
      `select price_micro as price, state from charge where ${of} = $1 and state <> 'released'`,
      [is],
    );
    const faults = [
      ...(charge === undefined ? ['not answered'] : []),
      ...(rows.length === 1 ? [] : [`paid ${rows.length} times`]),
      ...(rows.every(({ state }) => state === 'charged' || state === 'settling') ? [] : ['not charged']),
      ...(spent === Number(rows[0]?.price) && reserved === 0 ? [] : [`counted ${spent} and ${reserved}`]),
    ];
    return faults.map(
      (fault) =>
        `${fault}: ${tag} ${kind} ${rail} [${struck.map(nameOf).join()}] ${lost.slice(-4).join('; ')}`,
    );
  };

  const inTurn = async (work: (at: number) => Promise<void>): Promise<void> => {
    let next = 0;
    const one = async (): Promise<void> => {
      while (next < RUNS) await work((next += 1) - 1);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  };

  it('is answered and paid once by the TypeScript package, and each of its errors has a way on', async () => {
    const faults: string[] = [];
    const struck: Strike[] = [];
    await inTurn(async (at) => {
      const network = await LyingNetwork.to(baseUrl, SEED * 100_000 + at);
      const asked = askedOf(at, `ts-${at}`, network.url);
      const outcome = await byTypeScript(asked);
      await network.stop();
      struck.push(...network.struck);
      faults.push(...(await faultsOf(asked, outcome, network.struck)));
    });
    report(struck);

    expect(faults).toEqual([]);
  });

  it('is answered and paid once by the Python package, and each of its errors has a way on', async () => {
    const networks = await Promise.all(
      Array.from({ length: RUNS }, (_, at) => LyingNetwork.to(baseUrl, SEED * 200_000 + at)),
    );
    const all = networks.map(({ url }, at) => askedOf(at, `py-${at}`, url));
    const env = { ...process.env, PYTHONPATH: PYTHON, PYTHONDONTWRITEBYTECODE: '1' };
    const child = spawn('python3', [join(__dirname, 'one-call.py'), String(AT_ONCE)], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = all.map(({ account, tries, ...asked }) =>
      JSON.stringify({
        ...asked,
        tries: tries ?? null,
        timeout: TIMEOUT_MS / 1_000,
        service: baseUrl,
        key: caller.key,
        wallet: account.address,
        signer: signer.origin,
      }),
    );
    child.stdin.end(`${lines.join('\n')}\n`);
    const output = text(child.stdout);
    await once(child, 'close');
    for (const network of networks) await network.stop();
    const outcomes = new Map(
      (await output)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Outcome & { tag: string })
        .map(({ tag, ...outcome }) => [tag, outcome]),
    );

    const faults: string[] = [];
    for (const [at, asked] of all.entries())
      faults.push(...(await faultsOf(asked, outcomes.get(asked.tag) ?? { lost: [] }, networks[at]!.struck)));
    report(networks.flatMap((network) => network.struck));

    expect(faults).toEqual([]);
  });
});
