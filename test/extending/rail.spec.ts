import './sample-voucher/in-the-list';

import { readFileSync } from 'node:fs';

import { Logger } from '@nestjs/common';

import { CHAT, holdToContract } from '../contract/rail-contract';
import { CHAT_URL, type RailCaller } from '../contract/rail-callers';
import { captureLog } from '../support/log-lines';
import { World } from '../support/world';
import { walkThroughText } from '../support/walk-throughs';
import { FIXTURE } from './sample-voucher/sample-voucher.rail-callers';

describe('a rail that is one folder and one line', () => {
  let world: World;
  let url: string;
  let caller: RailCaller;

  beforeAll(async () => {
    world = await World.start();
    url = await world.listen();
  });

  beforeEach(async () => {
    caller = await FIXTURE.caller(world, 100_000n);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  describe('keeps the contract of all rails:', () => {
    holdToContract('sample-voucher', FIXTURE, [], { world: () => world, url: () => url });
  });

  it.each(['sample-voucher.rail.ts', 'sample-voucher.errors.ts', 'sample-voucher.guard.ts'])(
    'is in the walk-through, word for word: %s',
    (file) => {
      const source = readFileSync(`test/extending/sample-voucher/${file}`, 'utf8');

      expect(walkThroughText()).toContain(source);
    },
  );

  it('never runs an empty call for nothing but its credential', async () => {
    const answer = await world.post(CHAT_URL, {}, await caller.credential({}));

    expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(await caller.left()).toBe(100_000n);
  });

  it('shows its balance and its statement, and has no keys', async () => {
    const credential = await caller.credential(CHAT);
    const paid = await world.post(CHAT_URL, CHAT, credential);
    expect(paid.status).toBe(200);

    const { body } = await world.get('/v1/agent/balance', await caller.credential({}));
    expect(body.balanceMicro).toBe(Number(await caller.left()));
    expect(body.recent.map(({ kind }: { kind: string }) => kind)).toEqual(['debit', 'top_up']);

    const key = { name: 'helper', limitMicro: 1_000, expiresInSeconds: 3_600 };
    const refused = await world.post('/v1/agent/keys', key, await caller.credential(key));
    expect([refused.status, refused.body.error.code]).toEqual([401, 'MISSING_CREDENTIALS']);
  });

  it('is in the documents, the manifest, the preflight and the page of errors, and its codes are in no log', async () => {
    const { paths, components } = (await world.get('/v1/agent/openapi.json')).body;
    const manifest = (await world.get('/v1/agent/manifest.json')).body;
    const errors = (await world.get('/guides/errors.md')).body;
    const preflight = await world.send({
      method: 'OPTIONS',
      url: CHAT_URL,
      headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
    });
    const log = captureLog(world);
    const credential = await caller.credential(CHAT);
    new Logger('Test').warn(
      `${credential['x-sample-voucher']} came, and X-Sample-Voucher: ${credential['x-sample-voucher']}`,
    );

    expect(components.securitySchemes['sample-voucher']).toMatchObject({
      in: 'header',
      name: 'X-Sample-Voucher',
    });
    expect(paths[CHAT_URL].post.security).toContainEqual({ 'sample-voucher': [] });
    expect(manifest.rails.map(({ name }: { name: string }) => name)).toContain('sample-voucher');
    expect(errors).toContain('### NO_SAMPLE_VOUCHER\n\n401');
    expect(preflight.headers['access-control-allow-headers']).toContain('x-sample-voucher');
    expect(log.lines.join('')).toContain('[redacted] came');
    expect(log.lines.join('')).not.toContain(credential['x-sample-voucher']);
  });
});
