import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { VendorCosts } from '#money/margins/vendor-costs';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import type { World } from '../support/world';
import { TextVendor, event, openStream, piece, usage } from './text-vendor';

const HI = [{ role: 'user', content: 'hi '.repeat(2_000) }];

/** The vendor bills an answer that the policy keeps from the caller. */
describe('an answer whose beginning is checked', () => {
  let vendor: TextVendor;
  let world: World;
  let caller: KeyCaller;

  beforeAll(async () => {
    const policy = join(mkdtempSync(join(tmpdir(), 'lamppost-policy-')), 'policy.json');
    writeFileSync(policy, JSON.stringify({ patterns: { violence: ['blood'] } }));
    vendor = await new TextVendor().start();
    world = await vendor.world({ POLICY_FILE: policy, POLICY_RESULTS: 'true' });
    caller = await KeyCaller.register(world, 1_000_000n);
  });
  beforeEach(() => vendor.forget());
  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await vendor.stop();
  });

  const costs = async () => {
    await world.app.get(VendorCosts, { strict: false }).write();
    return (await world.db.one<{ calls: number; unused: number; micro: number }>(
      `select coalesce(sum(calls), 0)::int as calls, coalesce(sum(unused_calls), 0)::int as unused,
         coalesce(sum(cost_micro), 0)::float8 as micro from vendor_cost_day`,
    ))!;
  };

  it.each([true, false])(
    'is in the costs of the vendor, and charged to nobody, if it is blocked, stream %s',
    async (stream) => {
      vendor.next((response) => {
        openStream(response).write(
          piece({ role: 'assistant', content: 'Much blood.' }, 'stop') + usage(2_000, 4),
        );
        response.end(event('[DONE]'));
      });
      const before = await costs();

      const { body } = await world.post(
        '/v1/chat/completions',
        { model: 'words', messages: HI, stream, max_tokens: 64 },
        { 'x-api-key': caller.key },
      );

      expect(JSON.stringify(body)).toContain('POLICY_BLOCKED');
      const after = await costs();
      expect([after.calls - before.calls, after.unused - before.unused]).toEqual([1, 1]);
      expect(after.micro).toBeGreaterThan(before.micro);
      expect((await world.get('/v1/account', { cookie: caller.cookie })).body.balanceMicro).toBe(1_000_000);
    },
  );

  it('is charged by what was written, if the caller hangs up while its first words wait to be checked', async () => {
    vendor.next((response) => {
      openStream(response).write(piece({ role: 'assistant', content: 'Some words' }));
    });
    const url = await world.listen();
    const abort = new AbortController();
    const answer = fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      signal: abort.signal,
      headers: { 'content-type': 'application/json', 'x-api-key': caller.key },
      body: JSON.stringify({ model: 'words', messages: HI, stream: true, max_tokens: 64 }),
    }).then(
      ({ status }) => status,
      () => 'no answer',
    );

    await expectEventually(() => vendor.asked.length === 1);
    await pause(300); // The service has read the words after this time.
    abort.abort();

    expect(await answer).toBe('no answer');
    await expectEventually(async () => {
      const charge = await world.db.one<{ state: string; micro: number }>(
        'select state, price_micro::float8 as micro from charge order by created_at desc, id desc limit 1',
      );
      return charge?.state === 'charged' && charge.micro > 2_000;
    });
  });
});
