import { spawn } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { KeyCaller } from '../support/caller';
import { catalogOf, textEntry } from '../support/catalogs';
import { FakeAnthropic } from '../support/fake-anthropic';
import { FakeChatCompletions } from '../support/fake-chat-completions';
import { FakeGemini } from '../support/fake-gemini';
import { FakeResponses } from '../support/fake-responses';
import type { FakeTextServer } from '../support/fake-text-server';
import { forgetRoutes } from '../support/routes';
import { World } from '../support/world';
import type { Place, Program, Start } from './programs';
import { Recorder } from './recorder';

const SECONDS_MAX = 90;

/** A port where nobody listens, so that no program reaches anything but loopback. */
const NOWHERE = 'http://127.0.0.1:9';

export type Maker = 'anthropic' | 'openai' | 'google' | 'open';

interface Ended {
  readonly code: number | null;
  readonly out: string;
}

/** The service, with one model of each maker, and homes in which the programs run. */
export class AgentStage {
  private readonly homes: string[] = [];
  caller!: KeyCaller;
  private funds = 0;

  private constructor(
    readonly world: World,
    readonly recorder: Recorder,
    readonly makers: Readonly<Record<Maker, FakeTextServer>>,
  ) {}

  static async start(): Promise<AgentStage> {
    const [anthropic, openai, google, open] = await Promise.all([
      FakeAnthropic.start(),
      FakeResponses.start(),
      FakeGemini.start(),
      FakeChatCompletions.start(),
    ]);
    const more = { vision: true, reasoning: true, maxOutputTokens: 64_000, contextTokens: 400_000 };
    const world = await World.start({
      ...anthropic.env,
      ...google.env,
      ...openai.env,
      OPENAI_COMPATIBLE_SERVERS: 'open',
      OPEN_BASE_URL: `${open.origin}/v1`,
      OPEN_API_KEY: open.key,
      ALLOW_SANDBOX_MIX: 'true',
      ...catalogOf(
        [],
        [
          textEntry('claude-sonnet-4-6', ['anthropic:claude-sonnet-4-6'], {
            default: true,
            aliases: ['claude-haiku-4-5-20251001'],
            ...more,
          }),
          textEntry('gpt-5.5', ['openai:gpt-5.5'], more),
          textEntry('qwen-coder', ['open:qwen-coder'], more),
          textEntry('gemini-3-flash-preview', ['gemini:gemini-3-flash-preview'], more),
        ],
      ),
    });
    const recorder = await new Recorder().start();
    recorder.service = await world.listen();
    return new AgentStage(world, recorder, { anthropic, openai, google, open });
  }

  async newCaller(micro = 20_000_000): Promise<void> {
    this.funds = micro;
    this.caller = await KeyCaller.register(this.world, BigInt(micro));
  }

  /** A fresh home with an empty folder of work. */
  place(model: string): Place {
    const home = mkdtempSync(join(tmpdir(), 'lamppost-agent-'));
    this.homes.push(home);
    const folder = join(home, 'work');
    mkdirSync(folder);
    return { home, folder, url: this.recorder.origin, key: this.caller.key, model };
  }

  /** Runs a program to its end, with nothing of our own environment. */
  run(program: Program, place: Place, words: string, ended?: AbortSignal): Promise<Ended> {
    program.prepare?.(place);
    return this.runAs(program.start(place, words), place, ended);
  }

  /** Goes on with the last session of a place. */
  resume(program: Program, place: Place, words: string): Promise<Ended> {
    return this.runAs(program.resume(place, words), place);
  }

  /** `ended` kills the program. */
  private runAs({ file, args, env }: Start, place: Place, ended?: AbortSignal): Promise<Ended> {
    const child = spawn(file, args, {
      cwd: place.folder,
      env: {
        HOME: place.home,
        PATH: process.env['PATH'] ?? '',
        TMPDIR: place.home,
        TERM: 'dumb',
        DO_NOT_TRACK: '1',
        HTTP_PROXY: NOWHERE,
        HTTPS_PROXY: NOWHERE,
        NO_PROXY: '127.0.0.1,localhost',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    // Some of the programs are a small process that starts the real one, so this ends the group.
    const kill = (): void => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
    };
    ended?.addEventListener('abort', kill, { once: true });
    const timer = setTimeout(kill, SECONDS_MAX * 1_000);
    let out = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => {
        out += bytes.toString();
      });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => {
        clearTimeout(timer);
        resolve({ code, out });
      });
    });
  }

  /** The micro-USD that the caller has paid. */
  async spent(): Promise<number> {
    const { body } = await this.world.get('/v1/account', { cookie: this.caller.cookie });
    return this.funds - body.balanceMicro;
  }

  async tidy(): Promise<void> {
    for (const fake of Object.values(this.makers)) {
      fake.forgiveAll();
      fake.bodies.length = 0;
      fake.refused.length = 0;
    }
    this.recorder.calls.length = 0;
    forgetRoutes(this.world);
    await this.world.expectBooksToBalance();
  }

  async stop(): Promise<void> {
    await this.recorder.stop();
    await this.world.stop();
    await Promise.all(Object.values(this.makers).map((fake) => fake.stop()));
    for (const home of this.homes) rmSync(home, { recursive: true, force: true });
  }
}
