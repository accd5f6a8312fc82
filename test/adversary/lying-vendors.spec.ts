import { randomInt } from 'node:crypto';

import sharp from 'sharp';

import { Slots } from '#kernel/slots';
import { KeyCaller } from '../support/caller';
import { catalogOf, filmEntry, pictureEntry, textEntry } from '../support/catalogs';
import { expectEventually } from '../support/eventually';
import { VENDOR_WORDS } from '../support/fake-provider';
import { soldFilm } from '../support/media-files';
import { World } from '../support/world';
import { LyingVendor } from './lies';

/** LIES_SEED repeats a run, and LIES_CALL a single call of it. */
const SEED = process.env['LIES_SEED'] ?? String(randomInt(1_000_000));
const ONLY = process.env['LIES_CALL'];

const CALLS = 280;
const AT_ONCE = 20;
const DEADLINE_SECONDS = 10;
const FUNDS = 1_000_000_000n;
const MEGABYTE = 1024 * 1024;
/** Timeouts of minutes are shortened by this factor. */
const HURRY = 20;

const PATIENCE = { deadlineSeconds: DEADLINE_SECONDS };
const CATALOG = catalogOf(
  [
    pictureEntry('image-f', ['fal:fal-ai/flux/dev', 'replicate:a/b'], PATIENCE),
    pictureEntry('image-r', ['replicate:black-forest-labs/flux-schnell'], PATIENCE),
    pictureEntry('image-o', ['openai:gpt-image-1'], PATIENCE),
    filmEntry('film-o', ['openai:sora-2'], PATIENCE),
  ],
  [
    textEntry('words', ['openai:gpt-4o', 'openai:gpt-4o-mini'], {
      inputUsdPerMtok: '3',
      outputUsdPerMtok: '15',
    }),
  ],
);

const MEDIA = ['image-f', 'image-r', 'image-o', 'film-o'];

interface Received {
  readonly call: string;
  readonly status: number;
  readonly text: string;
}

/** The answers that a caller may get to a call about which a vendor lied. */
const STATUSES: ReadonlySet<number> = new Set([200, 202, 502, 503]);

jest.setTimeout(180_000);

describe(`vendors that lie (LIES_SEED=${SEED})`, () => {
  let vendor: LyingVendor;
  let world: World;
  let url: string;
  let caller: KeyCaller;
  const received: Received[] = [];

  beforeAll(async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(Math.ceil(ms / HURRY)));
    const files = {
      png: await sharp({ create: { width: 8, height: 8, channels: 3, background: '#642' } })
        .png()
        .toBuffer(),
      mp4: await soldFilm(),
    };
    vendor = await new LyingVendor(SEED, files).start();
    world = await World.start({
      ...vendor.env,
      ALLOW_SANDBOX_MIX: 'true',
      LIVE_COSTS: 'false',
      ...CATALOG,
      MEDIA_SYNC_SECONDS: '1',
    });
    url = await world.listen();
    caller = await KeyCaller.register(world, FUNDS);
  });

  afterAll(async () => {
    await world.stop();
    await vendor.stop();
    jest.restoreAllMocks();
  });

  const send = async (call: string, path: string, body: object): Promise<void> => {
    const abort = AbortSignal.timeout(8_000 * HURRY); // Some readers disconnect early.
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      signal: abort,
      headers: { 'content-type': 'application/json', 'x-api-key': caller.key },
      body: JSON.stringify(body),
    }).catch(() => undefined);
    if (answer === undefined) return;
    const text = await answer.text().catch(() => '');
    received.push({ call, status: answer.status, text });
  };

  const one = async (at: number): Promise<void> => {
    const call = String(at).padStart(5, '0');
    if (ONLY !== undefined && ONLY !== call) return;
    const words = `Say something of call${call}.`;
    const messages = [{ role: 'user', content: words }];
    const media = MEDIA[at % 7];
    if (media !== undefined) await send(call, '/v1/agent/generate', { prompt: words, modelId: media });
    else if (at % 7 === 4) await send(call, '/v1/agent/chat', { messages, max_tokens: 64 });
    else await send(call, '/v1/chat/completions', { messages, max_tokens: 64, stream: at % 7 === 5 });
  };

  const usedMegabytes = (): number => {
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / MEGABYTE;
  };

  it('end nobody, and every job and every stream ends', async () => {
    const before = usedMegabytes();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, usedMegabytes())), 100);
    const slots = new Slots(AT_ONCE);

    await Promise.all(Array.from({ length: CALLS }, (_, at) => slots.run(() => one(at))));
    await expectEventually(
      async () =>
        (await world.db.rows(`select from job where status = 'running'`)).length === 0 &&
        (await world.db.rows(`select from charge where state = 'held'`)).length === 0 &&
        (await world.db.rows(`select from job where status = 'failed' and not settled_late`)).length === 0,
    );

    clearInterval(watch);
    expect(vendor.asked).toBeGreaterThan(ONLY === undefined ? CALLS : 0);
    expect(most - before).toBeLessThan(700);
  });

  it('never have their words shown to a caller, who gets only documented errors', () => {
    for (const { call, status, text } of received) {
      expect({ call, isKnown: STATUSES.has(status), status }).toEqual({ call, isKnown: true, status });
      // The text of a model is the answer itself. Nothing else from the vendor may appear in it.
      const said = text.replace(
        /"(content|arguments|name|id|refusal|reasoning_content)":"(?:[^"\\]|\\.)*"/g,
        '',
      );
      expect({ call, reported: said.includes(VENDOR_WORDS) }).toEqual({ call, reported: false });
      expect({ call, reported: text.includes('169.254.169.254') && !/"content"/.test(text) }).toEqual({
        call,
        reported: false,
      });
    }
  });

  it('cost nobody anything for what was not made', async () => {
    await world.expectBooksToBalance();
    const wrong = await world.db.rows(
      `select j.id, j.status, c.state from job j join charge c on c.id = j.charge_id
       where (j.status = 'failed' and c.state not in ('released', 'refunded'))
          or (j.status = 'done' and c.state <> 'charged')`,
    );
    expect(wrong).toEqual([]);
    const [sums] = await world.db.rows<{ charged: string }>(
      `select coalesce(sum(price_micro), 0)::text as charged from charge where state = 'charged'`,
    );
    const { body } = await world.get('/v1/account', { cookie: caller.cookie });
    expect(BigInt(body.balanceMicro)).toBe(FUNDS - BigInt(sums!.charged));
    expect((await world.get('/health/live')).status).toBe(200);
  });
});
