import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ReconciliationProcessor } from '#money/billing/sweeps/reconciliation.processor';
import { TransparencyProcessor } from '#money/billing/transparency/transparency.processor';
import { TransparencyRepository } from '#money/billing/transparency/transparency.repository';
import { SignedHeads } from '#money/billing/transparency/kept-heads';
import { DEPLOYMENT, ServiceProcess } from './service-process';
import { CHAT_URL } from '../contract/rail-callers';
import { KeyCaller } from '../support/caller';
import { LogChecker } from '../support/log-checker';
import { cloneDatabase } from '../support/postgres';
import { IS_NIGHTLY } from '../support/nightly';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

const folder = (): string => mkdtempSync(join(tmpdir(), 'transparency-'));

class Killed extends Error {}

describe('a process that dies while it seals', () => {
  const chat = async (world: World, caller: KeyCaller): Promise<void> => {
    const body = { messages: [{ role: 'user', content: Math.random().toString() }], max_tokens: 16 };
    expect((await world.post(CHAT_URL, body, { 'x-api-key': caller.key })).status).toBe(200);
  };
  const expectWhole = async (world: World, caller: KeyCaller, calls: number): Promise<void> => {
    const checker = await LogChecker.of(world);
    // The database may take a moment to notice a killed process, and until then that process seals.
    await expectEventually(async () => {
      await world.app.get(TransparencyProcessor, { strict: false }).run();
      return (await checker.log()).size >= 1 + 2 * calls;
    });
    expect((await checker.log()).size).toBe(1 + 2 * calls);
    expect(await checker.statement({ 'x-api-key': caller.key })).toHaveLength(1 + 2 * calls);
    expect((await world.app.get(ReconciliationProcessor, { strict: false }).run())['transparency']).toBe(0n);
    const [{ logs } = { logs: 0 }] = await world.db.rows<{ logs: number }>(
      'select count(*)::int as logs from transparency_log',
    );
    expect(logs).toBe(1);
  };

  it.each<[string, 'append' | 'advance' | 'keep' | 'kept' | 'publish']>([
    ['before it has written the leaves', 'append'],
    ['behind the leaves, before the size', 'advance'],
    ['before it has kept the signed checkpoint', 'keep'],
    ['behind the signed checkpoint, before it is published', 'kept'],
    ['as it publishes', 'publish'],
  ])('leaves a log that goes on: %s', async (_, step) => {
    const world = await World.start({ DATA_DIR: folder(), ROLE: 'api' });
    try {
      const caller = await KeyCaller.register(world, 1_000_000n);
      const log = world.app.get(TransparencyRepository, { strict: false });
      const heads = world.app.get(SignedHeads, { strict: false });
      const processor = world.app.get(TransparencyProcessor, { strict: false });
      await chat(world, caller);
      await processor.run();
      await chat(world, caller);
      const dies = (): Promise<never> => Promise.reject(new Killed());
      const spies = {
        append: () => jest.spyOn(log, 'growTiles').mockImplementationOnce(dies),
        advance: () => jest.spyOn(log, 'advance').mockImplementationOnce(dies),
        keep: () => jest.spyOn(heads, 'keep').mockImplementationOnce(dies),
        kept: () => {
          const keep = heads.keep.bind(heads);
          return jest.spyOn(heads, 'keep').mockImplementationOnce(async (head) => {
            await keep(head);
            return dies();
          });
        },
        publish: () => jest.spyOn(log, 'publish').mockImplementationOnce(dies),
      };
      spies[step]();

      await expect(processor.run()).rejects.toThrow(Killed);
      await chat(world, caller);

      await expectWhole(world, caller, 3);
    } finally {
      await world.stop();
    }
  });

  it('leaves a log that goes on, wherever a real process was killed', async () => {
    const [DATABASE_URL, DATA_DIR] = [await cloneDatabase(), folder()];
    const world = await World.start({ ...DEPLOYMENT, DATABASE_URL, DATA_DIR, ROLE: 'api' });
    try {
      const caller = await KeyCaller.register(world, 10_000_000n);
      let calls = 0;
      for (let round = 0; round < (IS_NIGHTLY ? 4 : 2); round += 1) {
        const service = await ServiceProcess.start({ DATABASE_URL, DATA_DIR, ROLE: 'worker' });
        const until = Date.now() + 3_000 + round * 700;
        while (Date.now() < until) {
          await chat(world, caller);
          calls += 1;
        }
        await service.kill();
      }

      await expectWhole(world, caller, calls);
    } finally {
      await world.stop();
    }
  });
});
