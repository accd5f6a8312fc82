import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

import { Budget, CallError, Lamppost } from '../../clients/typescript/src/lamppost';
import { tone, wavOf } from '../../src/models/providers/sandbox/tone';
import { freePort } from '../../tools/chain/free-port';
import { Deployment } from '../faults/deployment';
import { KeyCaller, WalletCaller } from '../support/caller';
import { cloneDatabase } from '../support/postgres';
import { numbersFrom } from '../support/random';
import { type Kind, type Known, LINES, type OneCall, Signer, callOnce } from './one-call';

const CASES: readonly (readonly [kind: Kind, rail: 'key' | 'x402'])[] = [
  ['chat', 'key'],
  ['stream', 'key'],
  ['image', 'key'],
  ['film', 'key'],
  ['start', 'key'],
  ['batch', 'key'],
  ['speech', 'key'],
  ['transcript', 'key'],
  ['chat', 'x402'],
  ['image', 'x402'],
  ['film', 'x402'],
];
const PACKAGES = ['ts', 'py'] as const;
/** Of both packages together. The calls of one wave run at once, and the service is killed in the middle of them. */
const RUNS = Number(process.env['KILLED_RUNS'] ?? CASES.length * PACKAGES.length);
const SEED = Number(process.env['KILLED_SEED'] ?? 1);
const WAVE = CASES.length * PACKAGES.length;
const PYTHON = join(__dirname, '..', '..', 'clients', 'python', 'src');
/** The time in which the calls of a wave begin. */
const LEAD_MS = 6_000;
/** The time of a call besides the delay that its prompt asks for. */
const OWN_MS: Partial<Record<Kind, number>> = { transcript: 150, batch: 2_500, image: 700, film: 1_500 };
const USUAL_MS = 300;

interface Asked extends OneCall {
  readonly rail: 'key' | 'x402';
  readonly by: (typeof PACKAGES)[number];
  /** When the call begins. */
  readonly at: number;
  readonly account: WalletCaller['account'];
}

interface Outcome {
  readonly tag: string;
  readonly charge?: string;
  /** The errors that its caller saw. */
  readonly lost: readonly string[];
  readonly spent?: number;
  readonly reserved?: number;
  readonly began: number;
  readonly ended: number;
}

jest.setTimeout(120_000 + Math.ceil(RUNS / WAVE) * 90_000);

describe(`a call whose service is killed and started again, in ${RUNS} runs of both packages`, () => {
  let baseUrl: string;
  let folder: string;
  let deployment: Deployment;
  let caller: KeyCaller;
  let signer: Signer;
  let next: () => number;

  beforeAll(async () => {
    const port = await freePort();
    baseUrl = `http://127.0.0.1:${port}`;
    folder = mkdtempSync(join(tmpdir(), 'lamppost-killed-'));
    writeFileSync(join(folder, 'sound.wav'), wavOf(tone(1, 440)));
    const env = { PORT: String(port), PUBLIC_URL: baseUrl, DATA_DIR: join(folder, 'data') };
    deployment = await Deployment.start(await cloneDatabase(), [env]);
    caller = await KeyCaller.register(deployment.asWorld(), 50_000_000_000n);
    signer = await new Signer().start();
    next = numbersFrom(SEED);
  });
  afterAll(async () => {
    await signer.stop();
    await deployment.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The call begins so that `killAt` is at a random moment of it. */
  const askedOf = (run: number, killAt: number): Asked => {
    const [kind, rail] = CASES[Math.floor(run / PACKAGES.length) % CASES.length]!;
    const seconds = Math.round(next() * 25) / 10;
    const delay = kind === 'stream' ? `[[pace ${seconds / 10}s]]` : `[[delay ${seconds}s]]`;
    const long = (kind === 'transcript' ? 0 : seconds * 1_000) + (OWN_MS[kind] ?? USUAL_MS);
    const { account } = new WalletCaller();
    signer.accounts.set(account.address, account);
    return {
      tag: `run-${SEED}-${run}`,
      by: PACKAGES[run % PACKAGES.length]!,
      kind,
      rail,
      words: `${delay} Ten words about the lamps of a small town.`,
      sound: join(folder, 'sound.wav'),
      at: killAt - next() * long,
      account,
    };
  };

  /** Calls, and goes on after each error by what the error says. */
  const byTypeScript = async (asked: Asked): Promise<Outcome> => {
    const { tag, rail, account, at } = asked;
    const budget = new Budget({ total: 3, perCall: 2 });
    const payer = rail === 'key' ? { key: caller.key } : { wallet: account };
    const client = new Lamppost({ baseUrl, budget, onRetry: () => undefined, ...payer });
    await pause(Math.max(0, at - Date.now()));
    const began = Date.now();
    const lost: string[] = [];
    const known: Known = {};
    let key: string | undefined;
    for (let turn = 0; turn < 40; turn += 1) {
      try {
        const charge = await callOnce(client, asked, key, known);
        const { spentMicro: spent, reservedMicro: reserved } = await budget.state();
        return { tag, charge, lost, spent, reserved, began, ended: Date.now() };
      } catch (error) {
        lost.push(String(error).slice(0, 300));
        const { idempotencyKey, jobId } = error instanceof CallError ? error : ({} as Partial<CallError>);
        key = idempotencyKey ?? key;
        if (idempotencyKey === undefined && jobId === undefined) {
          lost.push('no way on');
          break;
        }
        await pause(50 * turn);
      }
    }
    return { tag, lost, began, ended: Date.now() };
  };

  /** The outcomes of the calls by the Python package, each as soon as it is known. */
  const pythonCalls = (): { readonly make: (asked: Asked) => Promise<Outcome>; end(): void } => {
    const env = { ...process.env, PYTHONPATH: PYTHON, PYTHONDONTWRITEBYTECODE: '1' };
    const words = [join(__dirname, 'one-call.py'), String(WAVE)];
    const child = spawn('python3', words, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    const waiting = new Map<string, (outcome: Outcome) => void>();
    createInterface({ input: child.stdout }).on('line', (line) => {
      const outcome = JSON.parse(line) as Outcome;
      waiting.get(outcome.tag)?.(outcome);
    });
    return {
      make: ({ account, ...asked }) => {
        const more = { url: baseUrl, service: baseUrl, tries: null, key: caller.key, signer: signer.origin };
        child.stdin.write(`${JSON.stringify({ ...asked, ...more, wallet: account.address })}\n`);
        return new Promise((resolve) => waiting.set(asked.tag, resolve));
      },
      end: () => child.stdin.end(),
    };
  };

  /** The faults of an outcome. A call must be answered, paid once, and counted once. */
  const faultsOf = async (asked: Asked, { charge, lost, spent, reserved }: Outcome): Promise<string[]> => {
    const { kind, rail, tag, by, words } = asked;
    const [where, wanted] =
      kind === 'batch' ? [`mark like '%:' || $1 || '-%'`, LINES.length] : ['tag = $1', 1];
    const rows = await deployment.db.rows<{ price: string; state: string }>(
      `select price_micro as price, state from charge where ${where} and state <> 'released'`,
      [kind === 'batch' ? charge : tag],
    );
    const price = rows.reduce((sum, row) => sum + Number(row.price), 0);
    // A budget counts a batch with the most that it can cost.
    const isCounted = kind === 'batch' ? spent! >= price : spent === price;
    const faults = [
      ...(charge ? [] : ['not answered']),
      ...(rows.length === wanted ? [] : [`paid ${rows.length} times`]),
      ...(rows.every(({ state }) => state === 'charged') ? [] : ['not charged']),
      ...(isCounted && reserved === 0 ? [] : [`counted ${spent} and ${reserved} for ${price}`]),
    ];
    return faults.map(
      (fault) => `${fault}: ${by} ${tag} ${kind} ${rail} ${words} ${lost.slice(-4).join('; ')}`,
    );
  };

  it('is answered and paid once, and each of its errors has a way on', async () => {
    const python = pythonCalls();
    const outcomes: (readonly [Asked, Outcome, wasHit: boolean])[] = [];
    for (let run = 0; run < RUNS; run += WAVE) {
      const killAt = Date.now() + LEAD_MS;
      const wave = Array.from({ length: Math.min(WAVE, RUNS - run) }, (_, at) => askedOf(run + at, killAt));
      const made = wave.map((asked) => (asked.by === 'ts' ? byTypeScript(asked) : python.make(asked)));
      await pause(killAt - Date.now());
      await deployment.kill(0);
      // Half of the new processes die, too, while the calls of the first one come back.
      if (next() < 0.5) {
        await deployment.url(0);
        await pause(next() * 3_000);
        await deployment.kill(0);
      }
      for (const [at, outcome] of (await Promise.all(made)).entries())
        outcomes.push([wave[at]!, outcome, outcome.began < killAt && outcome.ended > killAt]);
    }
    python.end();
    await deployment.expectPeace();
    const faults: string[] = [];
    for (const [asked, outcome] of outcomes) faults.push(...(await faultsOf(asked, outcome)));
    const hit = outcomes.filter(([, , wasHit]) => wasHit);
    const alone = hit.filter(([, { lost }]) => lost.length === 0).length;
    process.stderr.write(
      `${hit.length} of ${RUNS} calls were running at the kill; ${alone} of them went on alone.\n`,
    );
    for (const [{ by, kind, rail }, { lost }] of hit)
      if (lost.length > 0) process.stderr.write(`${by} ${kind} ${rail}: ${lost.join('; ')}\n`);

    expect(faults).toEqual([]);
  });
});
