import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { SafeFetch } from '#platform/http/outgoing/safe-fetch';
import { MediaIntake } from '#platform/media/media-intake';
import { ContentPolicy, type PolicyVerdict } from '#models/providers/policy/content-policy';
import { expectEventually } from '../support/eventually';
import { paidRoutes } from '../support/paid-routes';
import type { Answer, World } from '../support/world';
import { type RailCaller, callersOf } from './rail-callers';
import { largePicture, otherPrices, withSources } from './route-bodies';
import { failing, runsOf } from './route-handlers';

type Body = Readonly<Record<string, unknown>>;

const MONEY = 400_000_000n;

const BLOCKED: PolicyVerdict = { allowed: false, category: 'of the contract' };

/** The promises of every paid route about its bodies: quotes, the policy, and source media. */
export const holdBodiesToContract = (path: string, world: () => World): void => {
  const { options } = paidRoutes().get(path)!;
  const example = options.example.body as Body;
  let caller: RailCaller;

  const post = async (body: Body, more: object = {}): Promise<Answer> =>
    world().post(path, body, { ...(await caller.credential(body, undefined, path)), ...more });
  const quoteOf = async (body: Body): Promise<{ readonly quoteId: string; readonly priceMicro: number }> =>
    (await world().post(`/v1/agent/quote?path=${path}`, body, await caller.credential(body))).body;
  const chargesOf = async (): Promise<number> =>
    (await world().db.rows('select from charge where lower(payer) = lower($1)', [caller.payer])).length;
  const expectNothingTaken = async (): Promise<void> => {
    expect([await caller.left(), await chargesOf()]).toEqual([MONEY, 0]);
  };
  /** All verdicts of the policy, until the test ends. */
  const blockAll = () => {
    const block = (of: 'screenText' | 'screenImage' | 'screenVideo') =>
      jest.spyOn(ContentPolicy.prototype, of).mockImplementation(() => Promise.resolve(BLOCKED));
    return [block('screenText'), block('screenImage'), block('screenVideo')];
  };

  beforeEach(async () => {
    caller = await callersOf('api-key').caller(world(), MONEY);
  });
  afterEach(() => jest.restoreAllMocks());

  it('sells a quote only for the body that it prices', async () => {
    const { quoteId, priceMicro } = await quoteOf(example);
    const others = await otherPrices(world(), path, example);

    for (const other of others) {
      const theirs = await quoteOf(other);
      const answers = [
        await post({ ...other, quoteId }),
        await post({ ...example, quoteId: theirs.quoteId }),
      ];
      expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual([
        [409, 'QUOTE_MISMATCH'],
        [409, 'QUOTE_MISMATCH'],
      ]);
    }
    await expectNothingTaken();
    const bought = await post({ ...example, quoteId });
    expect([bought.status, await caller.left()]).toEqual([200, MONEY - BigInt(priceMicro)]);
  });

  it('runs, holds and charges nothing for a rehearsal, however the field is spelt', async () => {
    const before = runsOf(path);

    const said = await post({ ...example, dryRun: true });
    const misspelt = await post({ ...example, dry_run: true });

    expect([said.status, said.body.dryRun]).toEqual([200, true]);
    expect([200, 400]).toContain(misspelt.status);
    if (misspelt.status === 200) expect(misspelt.body.dryRun).toBe(true);
    expect(runsOf(path)).toBe(before);
    await expectNothingTaken();
  });

  it('runs and charges nothing that the policy blocks', async () => {
    const verdicts = blockAll();
    const before = runsOf(path);

    const answer = await post(example);

    const isAsked = verdicts.some(({ mock }) => mock.calls.length > 0);
    if (!isAsked && !options.generates) return;
    expect({
      isAsked,
      status: answer.status,
      code: answer.body.error?.code,
      runs: runsOf(path) - before,
    }).toEqual({
      isAsked: true,
      status: 400,
      code: 'POLICY_BLOCKED',
      runs: 0,
    });
    await expectNothingTaken();
  });

  if (options.uploads !== undefined) {
    const spooled = (): readonly string[] => {
      const { dataDir } = world().settings;
      return readdirSync(dataDir).includes('incoming') ? readdirSync(join(dataDir, 'incoming')) : [];
    };

    it('fetches nothing for a rehearsal', async () => {
      const opened = jest
        .spyOn(SafeFetch.prototype, 'open')
        .mockRejectedValue(new Error('It is a rehearsal.'));
      const address = 'https://pictures.lamppost.example/fox.png';
      for (const body of await withSources(world(), path, example, address)) {
        const { status } = await post({ ...body, dryRun: true });
        expect([status, opened.mock.calls]).toEqual([200, []]);
      }
    });

    it('deletes a picture that is larger than it takes', async () => {
      for (const body of await withSources(world(), path, example, await largePicture())) {
        const { status } = await post(body);
        await expectEventually(() => spooled().length === 0).catch(() => undefined);
        expect([status, spooled()]).toEqual([status, []]);
      }
    });

    it('deletes its source media on each way out, and screens them', async () => {
      const taken = jest.spyOn(MediaIntake.prototype, 'take');
      const poor = await callersOf('api-key').caller(world(), 1n);
      let sourced = 0;
      for (const body of await withSources(world(), path, example)) {
        const takes = taken.mock.calls.length;
        const { status: first } = await post(body);
        await expectEventually(() => spooled().length === 0);
        // The field is a text, or the model has another medium in it.
        if (taken.mock.calls.length === takes || first !== 200) continue;
        sourced += 1;
        const mark = { 'idempotency-key': `sources-${sourced}` };
        const ways: readonly (readonly [string, () => Promise<Answer>, number])[] = [
          ['a rehearsal', () => post({ ...body, dryRun: true }), 200],
          ['a price above the most', () => post(body, { 'x-max-price-micro': '1' }), 400],
          ['a stale quote', () => post({ ...body, quoteId: 'none' }), 409],
          ['a call', () => post(body, mark), 200],
          ['its repetition', () => post(body, mark), 200],
          ['a payer without money', async () => world().post(path, body, await poor.credential(body)), 402],
          [
            'a failed run',
            () => {
              failing.add(path);
              return post(body).finally(() => failing.delete(path));
            },
            502,
          ],
          [
            'a blocked picture',
            () => {
              const images = jest.spyOn(ContentPolicy.prototype, 'screenImage').mockResolvedValue(BLOCKED);
              return post(body).finally(() => images.mockRestore());
            },
            400,
          ],
        ];
        for (const [way, go, status] of ways) {
          const answer = await go();
          expect([way, answer.status]).toEqual([way, status]);
          await expectEventually(() => spooled().length === 0).catch(() => undefined);
          expect([way, spooled()]).toEqual([way, []]);
        }
      }
      expect(sourced).toBeGreaterThan(0);
    });
  }
};
