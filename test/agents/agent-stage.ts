import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { SsrfGuard } from '../../src/platform/http/outgoing/ssrf-guard';
import { KeyCaller } from '../support/caller';
import { catalogOf, textEntry } from '../support/catalogs';
import { FakeAnthropic } from '../support/fake-anthropic';
import { FakeChatCompletions } from '../support/fake-chat-completions';
import { FakeGemini } from '../support/fake-gemini';
import { FakeResponses } from '../support/fake-responses';
import type { FakeTextServer } from '../support/fake-text-server';
import { expectEventually } from '../support/eventually';
import { OauthBrowser } from '../support/oauth-browser';
import { OutsideHosts } from '../support/outside-hosts';
import { forgetRoutes } from '../support/routes';
import { World } from '../support/world';
import type { Place, Program, Start } from './programs';
import { Recorder } from './recorder';

const SECONDS_MAX = 90;

/** The file in a home with the address that a program has opened in the browser. */
const OPENED = 'opened';

const TYPING_MS = 500;

/** A port where nobody listens, so that no program reaches anything but loopback. */
const NOWHERE = 'http://127.0.0.1:9';

export type Maker = 'anthropic' | 'openai' | 'google' | 'open';

/** A text that somebody types as soon as the terminal has shown another. */
export type Typed = readonly [shown: RegExp, text: string];

/** The package of terminals that Gemini CLI brings. */
interface Terminals {
  spawn(
    file: string,
    args: readonly string[],
    options: object,
  ): {
    onData(listen: (text: string) => void): void;
    onExit(listen: (end: { readonly exitCode: number }) => void): void;
    write(text: string): void;
    kill(signal: string): void;
  };
}

const CODES = /\u001b(?:\][^\u0007]*\u0007|\[[0-9;?<>=]*[a-zA-Z])/g;

interface Ended {
  readonly code: number | null;
  readonly out: string;
}

/** The service, with one model of each maker, and homes in which the programs run. */
export class AgentStage {
  private readonly homes: string[] = [];
  private readonly terminals = new Set<{ kill(signal: string): void }>();
  caller!: KeyCaller;
  private funds = 0;

  private constructor(
    readonly world: World,
    readonly hosts: OutsideHosts,
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
    const recorder = await new Recorder().start();
    const hosts = await OutsideHosts.start();
    const env = {
      PUBLIC_URL: recorder.origin,
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
    };
    const world = await World.start(env, (builder) =>
      builder.overrideProvider(SsrfGuard).useValue(hosts.guard()),
    );
    recorder.service = await world.listen();
    return new AgentStage(world, hosts, recorder, { anthropic, openai, google, open });
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
    const commands = join(home, 'commands');
    mkdirSync(commands);
    for (const name of ['open', 'xdg-open']) {
      writeFileSync(join(commands, name), `#!/bin/sh\nprintf '%s\\n' "$1" > '${join(home, OPENED)}'\n`);
      chmodSync(join(commands, name), 0o755);
    }
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

  /** Runs a program in a terminal to its end. Somebody types the next text whenever its condition is true. */
  runInTerminal(
    { file, args, env }: Start,
    place: Place,
    typed: readonly Typed[] = [],
  ): Promise<Ended & { readonly untyped: readonly Typed[] }> {
    const terminals = module.require('@lydell/node-pty') as Terminals;
    const terminal = terminals.spawn(file, args, {
      cols: 200,
      rows: 50,
      cwd: place.folder,
      env: { ...this.environment(place), TERM: 'xterm-256color', ...env },
    });
    const timer = setTimeout(() => terminal.kill('SIGKILL'), SECONDS_MAX * 1_000);
    this.terminals.add(terminal);
    const left = [...typed];
    let out = '';
    let seen = 0;
    terminal.onData((text) => {
      out += text;
      const [next] = left;
      if (next === undefined || !next[0].test(out.slice(seen).replaceAll(CODES, ''))) return;
      left.shift();
      seen = out.length;
      // A program drops keys that come in the moment in which it draws the prompt.
      setTimeout(() => terminal.write(next[1]), TYPING_MS);
    });
    return new Promise((resolve) => {
      terminal.onExit(({ exitCode }) => {
        clearTimeout(timer);
        this.terminals.delete(terminal);
        resolve({ code: exitCode, out: out.replaceAll(CODES, ''), untyped: left });
      });
    });
  }

  /** The person at the browser of a place: allows the app whose sign-in a program opens there. */
  async allowOpened({ home }: Place): Promise<URL> {
    const file = join(home, OPENED);
    await expectEventually(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
    const address = readFileSync(file, 'utf8').trim();
    const returned = await new OauthBrowser(this.world, this.caller.cookie).allow(address);
    await (await fetch(returned)).text();
    return new URL(address);
  }

  private environment({ home }: Place): Readonly<Record<string, string>> {
    const commands = join(home, 'commands');
    return {
      HOME: home,
      PATH: [commands, process.env['PATH'] ?? ''].join(delimiter),
      TMPDIR: home,
      BROWSER: join(commands, 'xdg-open'),
      DO_NOT_TRACK: '1',
      HTTP_PROXY: NOWHERE,
      HTTPS_PROXY: NOWHERE,
      NO_PROXY: '127.0.0.1,localhost',
    };
  }

  /** `ended` kills the program. */
  private runAs({ file, args, env }: Start, place: Place, ended?: AbortSignal): Promise<Ended> {
    const child = spawn(file, args, {
      cwd: place.folder,
      env: { ...this.environment(place), TERM: 'dumb', ...env },
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
    for (const terminal of this.terminals) terminal.kill('SIGKILL');
    await this.recorder.stop();
    await this.world.stop();
    this.hosts.stop();
    await Promise.all(Object.values(this.makers).map((fake) => fake.stop()));
    for (const home of this.homes) rmSync(home, { recursive: true, force: true });
  }
}
