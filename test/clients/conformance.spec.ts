import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';

import { freePort } from '../../tools/chain/free-port';
import { runCommand } from '../support/code-blocks';
import { World } from '../support/world';
import { BINARIES, NODE_22, installRuntimes } from './runtime-binaries';

const WALLETS_PATH = '/mcp?payment=x402';
const SUITE = join(BINARIES, '@modelcontextprotocol', 'conformance', 'dist', 'index.js');

/** The scenarios that need no tool of the suite's own test server, by the version of the protocol. */
const SCENARIOS = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'server-stateless',
    'caching',
    'http-header-validation',
    'tools-list',
    'resources-list',
    'prompts-list',
    'sep-2164-resource-not-found',
    'input-required-result-unsupported-methods',
    'tasks-capability-negotiation',
    'tasks-dispatch-and-envelope',
  ],
} as const;

/** The checks that call a tool of the suite's own test server, or a subscription, which we do not offer. */
const NEED_ITS_SERVER = new Set([
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2575-server-sends-subscription-ack',
  'sep-2575-server-tags-subscription-id',
  'sep-2663-server-rejects-undeclared-client',
  'tasks-per-request-meta-opt-in',
  'tasks-server-directed-creation-no-hint',
  'sep-2663-legacy-task-param-ignored',
  'tasks-immediate-result-shortcut',
  'tasks-result-type-complete-on-non-task-responses',
  'sep-2663-durable-create-strong-consistency',
]);

const CASES = Object.entries(SCENARIOS).flatMap(([version, names]) =>
  names.map((name) => ({ version, name })),
);
// Signs of colour in the output of the suite.
const COLOURS = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, 'g');
const CHECK = /\[(\S+)\s*\] (SUCCESS|FAILURE|WARNING)/g;

describe('the conformance tests of MCP', () => {
  let world: World;
  let url: string;

  beforeAll(async () => {
    await installRuntimes();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    world = await World.start({ PUBLIC_URL: url, RATE_LIMIT_FREE: '0' });
    const server = world.app.getHttpServer() as Server;
    // Some scenarios drop the query of the address for wallets, and the suite has no credential.
    server.prependListener('request', (request) => {
      if (request.url === '/mcp') request.url = WALLETS_PATH;
    });
    await world.listen(port);
  }, 300_000);
  afterAll(() => world.stop());

  it.each(CASES)('$version: $name', async ({ version, name }) => {
    // The suite needs Node 22. npm has no binary for some systems.
    if (!existsSync(NODE_22)) return;
    const args = [SUITE, 'server', '--url', `${url}${WALLETS_PATH}`, '--spec-version', version];

    const { output } = await runCommand(NODE_22, [...args, '--force', '--scenario', name], BINARIES, {});

    const checks = [...output.replaceAll(COLOURS, '').matchAll(CHECK)].map(([, check, verdict]) => ({
      check: check!,
      verdict: verdict!,
    }));
    const bad = checks.filter(({ check, verdict }) => verdict !== 'SUCCESS' && !NEED_ITS_SERVER.has(check));
    expect(bad).toEqual([]);
    expect(checks.filter(({ verdict }) => verdict === 'SUCCESS').length).toBeGreaterThan(1);
  });
});
