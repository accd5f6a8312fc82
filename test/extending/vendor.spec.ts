import './acme/in-the-list';

import { readFileSync } from 'node:fs';

import { Catalog } from '#models/catalog/catalog';
import { exampleLines } from '#platform/config/party';
import { VENDORS } from '#models/providers/vendors';
import { readSettings } from '../../src/settings';
import { KeyCaller } from '../support/caller';
import { catalogOf, filmEntry, pictureEntry, textEntry } from '../support/catalogs';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';
import { walkThroughText } from '../support/walk-throughs';
import { FakeAcme } from './acme/fake-acme';

const SELLS = catalogOf(
  [
    pictureEntry('square', ['acme:painter']),
    pictureEntry('any', ['acme:painter', 'fal:fal-ai/flux/dev'], { aspectRatios: ['16:9', '1:1'] }),
  ],
  [],
);

describe('a vendor that is one folder and one line', () => {
  let acme: FakeAcme;
  let world: World;
  let key: string;

  beforeAll(async () => {
    acme = await new FakeAcme().start();
    world = await World.start({
      ...acme.env,
      ...SELLS,
      FETCH_ALLOW_HOSTS: acme.host,
      ALLOW_SANDBOX_MIX: 'true',
    });
    ({ key } = await KeyCaller.register(world, 1_000_000n));
  });

  afterEach(() => world.expectBooksToBalance());

  afterAll(async () => {
    await world.stop();
    await acme.stop();
  });

  const buy = (modelId: string, more: object = {}, headers: Record<string, string> = {}) =>
    world.post(
      '/v1/agent/generate',
      { prompt: 'a lamp', modelId, ...more },
      { 'x-api-key': key, ...headers },
    );

  const balance = async (): Promise<number> =>
    (await world.get('/v1/agent/balance', { 'x-api-key': key })).body.balanceMicro;

  it.each(['acme.wire.ts', 'acme-media.provider.ts', 'acme.vendor.ts', 'fake-acme.ts'])(
    'is in the walk-through, word for word: %s',
    (name) => {
      const source = readFileSync(`test/extending/acme/${name}`, 'utf8');

      expect(walkThroughText()).toContain(source);
    },
  );

  it('sells a picture, and its bill is held against the price', async () => {
    const answer = await buy('square');

    expect(answer.body).toMatchObject({ status: 'done', url: expect.stringContaining('/media/') });
    expect(await balance()).toBe(1_000_000 - 30_770);
    const charge = await world.db.one('select billed_micro as bill from charge where operation = $1', [
      'media',
    ]);
    expect(charge).toEqual({ bill: '10000' });
  });

  it('refunds a picture that failed later', async () => {
    const before = await balance();
    acme.ending = 'failed';

    const answer = await buy('square', {}, { prefer: 'respond-async' });

    expect(answer.headers['x-charge-state']).toBe('charged');
    await expectEventually(async () => (await balance()) === before);
    acme.ending = 'done';
  });

  it('is found again when the answer to a submission was lost', async () => {
    acme.failNext('submit', 'drop reply');
    const taken = acme.works.length;

    const headers = { 'idempotency-key': 'the-very-same-call' };
    expect((await buy('square', {}, headers)).status).toBe(503);
    await world.db.rows(`update job set poll_at = now() where status = 'running'`);

    await expectEventually(async () => (await buy('square', {}, headers)).body.status === 'done');
    expect(acme.works).toHaveLength(taken + 1);
  });

  it('says no to a size that it does not make, and nothing is charged', async () => {
    const before = [await balance(), acme.works.length];

    const answer = await buy('any', { aspectRatio: '16:9' });

    expect([answer.status, answer.body.error.code]).toEqual([502, 'PROVIDER_ERROR']);
    expect([await balance(), acme.works.length]).toEqual(before);
  });

  it('is known to the settings, to those who watch over money, and to the catalog', () => {
    const mixed = { ...acme.env, ALLOW_SANDBOX_MIX: 'true' };

    expect(exampleLines(VENDORS).slice(-3)).toEqual([
      '#ACME_BASE_URL=https://api.acme.example/v1',
      '# Of the page "API keys" at Acme.',
      '#ACME_API_KEY=',
    ]);
    expect(() => readSettings(acme.env)).toThrow('ACME_API_KEY would spend real money while');
    expect(readSettings(mixed).secrets).toContain(acme.key);
    const films = catalogOf([filmEntry('film', ['acme:painter'])], [textEntry('words', ['acme:writer'])]);
    expect(() => new Catalog(readSettings({ ...mixed, ...films }))).toThrow(
      /provider is acme, which makes no t2v\n.*provider is acme, which makes no text/,
    );
  });
});
