import OpenAI, { toFile } from 'openai';

import { ServiceProcess } from './service-process';
import { KeyCaller } from '../support/caller';
import { catalogOf, textEntry } from '../support/catalogs';
import { expectEventually } from '../support/eventually';
import { FakeChatCompletions } from '../support/fake-chat-completions';
import { IS_NIGHTLY } from '../support/nightly';
import { cloneDatabase } from '../support/postgres';
import { World } from '../support/world';

const FUNDS = 10_000_000;
/** The nightly run has the largest batch that there is. */
const CALLS = IS_NIGHTLY ? 10_000 : 300;
const MINUTES_MAX = IS_NIGHTLY ? 60 : 4;
/** 9 and 3 tokens at ten cents and forty cents for a million. */
const PRICE = 3;

const lineOf = (_: unknown, at: number): string =>
  JSON.stringify({
    custom_id: `call-${at}`,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { messages: [{ role: 'user', content: `Say ${at}.` }], max_tokens: 16 },
  });

it(
  'A batch whose workers are killed answers and charges each call once',
  async () => {
    const vendor = await FakeChatCompletions.start();
    const env = {
      DATABASE_URL: await cloneDatabase(),
      OPENAI_BASE_URL: `${vendor.origin}/v1`,
      OPENAI_API_KEY: vendor.key,
      ALLOW_SANDBOX_MIX: 'true',
      ...catalogOf([], [textEntry('other', ['openai:gpt-4o'], { default: true })]),
    };
    // This process only answers calls. The workers are processes of their own.
    const world = await World.start({ ...env, ROLE: 'api' });
    const workers: ServiceProcess[] = [];
    try {
      const { key, cookie } = await KeyCaller.register(world, BigInt(FUNDS));
      const client = new OpenAI({ apiKey: key, baseURL: `${await world.listen()}/v1`, maxRetries: 0 });
      const text = Array.from({ length: CALLS }, lineOf).join('\n');
      const file = await client.files.create({
        purpose: 'batch',
        file: await toFile(Buffer.from(text), 'c.jsonl'),
      });
      const { id } = await client.batches.create({
        input_file_id: file.id,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
      });
      const completed = async (): Promise<number> =>
        (await client.batches.retrieve(id)).request_counts?.completed ?? 0;
      /** Waits as long as calls complete. */
      const untilCompleted = async (least: number): Promise<void> => {
        let done = await completed();
        while (done < least) {
          const before = done;
          await expectEventually(async () => (await completed()) > before);
          done = await completed();
        }
      };

      for (const share of [0.1, 0.4]) {
        const worker = await ServiceProcess.start({ ...env, ROLE: 'worker' });
        workers.push(worker);
        await untilCompleted(CALLS * share);
        await worker.kill();
      }
      // Their calls are taken again when the leases end. No test waits for a minute.
      await world.db.rows(`update batch_line set lease_until = now() where state = 'running'`);
      workers.push(await ServiceProcess.start({ ...env, ROLE: 'worker' }));
      await untilCompleted(CALLS);
      await expectEventually(async () => (await client.batches.retrieve(id)).status === 'completed');

      const done = await client.batches.retrieve(id);
      expect(done.request_counts).toEqual({ total: CALLS, completed: CALLS, failed: 0 });
      const lines = (await (await client.files.content(done.output_file_id!)).text()).trim().split('\n');
      expect(new Set(lines.map((line) => (JSON.parse(line) as { custom_id: string }).custom_id)).size).toBe(
        CALLS,
      );
      const balance = async () => (await world.get('/v1/account', { cookie })).body.balanceMicro as number;
      await expectEventually(async () => (await balance()) === FUNDS - CALLS * PRICE);
      const charged = await world.db.one<{ n: number }>(
        `select count(*)::integer as n from charge where state = 'charged'`,
      );
      expect(charged?.n).toBe(CALLS);
      await world.expectBooksToBalance();
    } finally {
      await Promise.all(workers.map((worker) => worker.kill()));
      await world.stop();
      await vendor.stop();
    }
  },
  MINUTES_MAX * 60_000,
);
