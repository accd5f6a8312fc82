import { WalletCaller } from '../support/caller';
import { catalogOf, filmEntry, pictureEntry, textEntry } from '../support/catalogs';
import { expectEventually } from '../support/eventually';
import { FakeFal } from '../support/fake-fal';
import { FakeOpenai } from '../support/fake-openai';
import { type FakeProvider, VENDOR_WORDS } from '../support/fake-provider';
import { FakeReplicate } from '../support/fake-replicate';
import { type Answer, World } from '../support/world';

const FILM = { audio: true, deadlineSeconds: 600 };
const CATALOG = catalogOf(
  [
    pictureEntry('image-f', ['fal:fal-ai/flux/dev', 'replicate:black-forest-labs/flux-dev', 'sandbox:image']),
    pictureEntry('image-r', ['replicate:black-forest-labs/flux-schnell', 'sandbox:image']),
    pictureEntry('image-o', ['openai:gpt-image-1', 'sandbox:image']),
    filmEntry('film-f', ['fal:fal-ai/veo3/fast', 'openai:sora-2-pro', 'sandbox:video'], FILM),
    filmEntry('film-r', ['replicate:google/veo-3', 'sandbox:video'], FILM),
    filmEntry('film-square', ['openai:sora-2-pro', 'fal:fal-ai/veo3/fast'], {
      ...FILM,
      aspectRatios: ['1:1'],
    }),
    filmEntry('film-o', ['openai:sora-2-pro', 'sandbox:video'], FILM),
    pictureEntry('image-sandbox', ['sandbox:image']),
  ],
  [textEntry('words', ['openai:gpt-4.1-nano', 'openai:gpt-4o-mini', 'sandbox:chat'])],
);

const FUNDS = 50_000_000;

describe('real providers', () => {
  let world: World;
  let fal: FakeFal;
  let replicate: FakeReplicate;
  let openai: FakeOpenai;
  let fakes: readonly FakeProvider[];
  const received: Answer[] = [];

  beforeAll(async () => {
    [fal, replicate, openai] = await Promise.all([
      FakeFal.start(),
      FakeReplicate.start(),
      FakeOpenai.start(),
    ]);
    fakes = [fal, replicate, openai];
    fal.words = ['running', 'completed'];
    replicate.words = ['starting', 'succeeded'];
    world = await World.start({
      ...fal.env,
      ...replicate.env,
      ...openai.env,
      ALLOW_SANDBOX_MIX: 'true',
      ...CATALOG,
      FETCH_ALLOW_HOSTS: fakes.map(({ host }) => host).join(','),
      MEDIA_SYNC_SECONDS: '20',
    });
  });

  afterEach(async () => {
    fakes.forEach((fake) => fake.forgiveAll());
    fal.words = ['running', 'completed'];
    fal.result = undefined;
    await world.expectBooksToBalance();
  });

  afterAll(async () => {
    await world.stop();
    await Promise.all(fakes.map((fake) => fake.stop()));
  });

  const receivedOf = async (answer: Promise<Answer>): Promise<Answer> => {
    received.push(await answer);
    return answer;
  };

  const call = async (path: string, body: object) => {
    const caller = await new WalletCaller().fund(world, BigInt(FUNDS));
    const headers = { 'sign-in-with-x': await caller.signIn(world) };
    return { caller, answer: await receivedOf(world.post(path, body, headers)) };
  };

  const generate = (modelId: string) => call('/v1/agent/generate', { prompt: 'a quiet street', modelId });

  const balance = async (caller: WalletCaller): Promise<number> =>
    (await world.get(`/v1/agent/x402/balance/${caller.wallet}`)).body.balanceMicro;

  const jobOf = async (poll: string): Promise<Answer['body']> => (await receivedOf(world.get(poll))).body;

  const newestJob = async (): Promise<string> =>
    (await world.db.one<{ id: string }>('select id from job order by created_at desc limit 1'))!.id;

  const statusOf = async (id: string): Promise<string | undefined> =>
    (await world.db.one<{ status: string }>('select status from job where id = $1', [id]))?.status;

  const pollsOf = async (id: string): Promise<number> =>
    (await world.db.one<{ polls: number }>('select polls from job where id = $1', [id]))?.polls ?? 0;

  /** Makes the running jobs due: for the next poll, or for their deadline. */
  const age = (what: 'look' | 'deadline') =>
    world.db.rows(
      `update job set poll_at = now(), deadline_at = deadline_at - make_interval(secs => $1) where status = 'running'`,
      [what === 'deadline' ? 3_600 : 0],
    );

  /** Ends the leases, as if the process had stopped renewing them. */
  const endLeases = () =>
    world.db.rows(`update charge set lease_until = now() - interval '1 second' where state = 'held'`);

  it.each(['image-f', 'image-r', 'image-o'])('make an image: %s', async (modelId) => {
    const { answer } = await generate(modelId);

    expect(answer.body).toMatchObject({ status: 'done', url: expect.stringContaining('/media/') });
    expect(answer.headers['x-charge-state']).toBe('charged');
    const media = await world.get(new URL(answer.body.url).pathname);
    expect(media.headers['content-type']).toBe('image/png');
  });

  it('make what the first one does not at the next, and think no worse of the first', async () => {
    const asked = openai.seen.length;

    for (const _ of Array(4).keys())
      expect((await generate('film-square')).answer.body.status).toBe('running');

    expect(openai.seen).toHaveLength(asked);
    expect((await generate('film-o')).answer.body.status).toBe('running');
  });

  it.each(['film-f', 'film-r', 'film-o'])('make a video: %s', async (modelId) => {
    const { answer } = await generate(modelId);
    expect(answer.body.status).toBe('running');

    await expectEventually(async () => {
      await age('look');
      return (await jobOf(answer.body.poll)).status === 'done';
    });

    const media = await world.get(new URL((await jobOf(answer.body.poll)).url).pathname);
    expect(media.headers['content-type']).toBe('video/mp4');
  });

  it('offer no model that only the sandbox has, and never fall back to it', async () => {
    const { answer } = await generate('image-sandbox');

    expect(answer.body.error.code).toBe('UNKNOWN_MODEL');
    const offered = (await world.get('/v1/agent/models')).body.models as { readonly id: string }[];
    expect(offered.map(({ id }) => id)).not.toContain('image-sandbox');
    expect(offered.length).toBeGreaterThan(0);
  });

  it('are left for the next route when the first surely did not take the work', async () => {
    const before = { fal: fal.accepted.length, replicate: replicate.accepted.length };
    fal.failNext('submit', 429);

    const { answer } = await generate('image-f');

    expect(answer.body.status).toBe('done');
    expect(fal.accepted).toHaveLength(before.fal);
    expect(replicate.accepted).toHaveLength(before.replicate + 1);
  });

  it('are not left when they refuse for good', async () => {
    const before = replicate.accepted.length;
    fal.failNext('submit', 422);

    const { caller, answer } = await generate('image-f');

    expect(answer.status).toBe(502);
    expect(answer.headers['x-charge-state']).toBe('released');
    expect(replicate.accepted).toHaveLength(before);
    expect(await balance(caller)).toBe(FUNDS);
  });

  it.each(['drop reply', 500, 'garbage', 'reset'] as const)(
    'are not left on doubt (%s); the money comes back at the deadline, once',
    async (fault) => {
      const before = replicate.accepted.length + openai.videos.length;
      fal.failNext('submit', fault);

      const { caller, answer } = await generate('film-f');

      expect(answer.status).toBe(503);
      expect(answer.headers['retry-after']).toBeDefined();
      expect(answer.body.error.code).not.toBe('PAYMENT_REQUIRED');
      expect(replicate.accepted.length + openai.videos.length).toBe(before);
      expect(await balance(caller)).toBeLessThan(FUNDS);

      const job = await newestJob();
      await age('deadline');
      await expectEventually(async () => (await statusOf(job)) === 'failed');
      expect((await receivedOf(world.get(`/v1/agent/jobs/${job}`))).status).toBe(404); // The medium is not paid.
      await endLeases();
      await expectEventually(async () => (await balance(caller)) === FUNDS);
    },
  );

  it('lose a picture whose answer broke off, and the look-up gives the money back', async () => {
    openai.failNext('image', 'drop reply');

    const { caller, answer } = await generate('image-o');

    expect(answer.status).toBe(503);
    const job = await newestJob();
    await expectEventually(async () => {
      await age('look');
      await endLeases();
      return (await statusOf(job)) === 'failed' && (await balance(caller)) === FUNDS;
    });
  });

  it('may answer in any order: what was done stays done', async () => {
    fal.words = ['running', 'queued', 'completed', 'queued'];

    const { answer } = await generate('image-f');

    expect(answer.body.status).toBe('done');
    expect((await jobOf(`/v1/agent/jobs/${await newestJob()}`)).status).toBe('done');
  });

  it.each([
    ['names a private address', (inside: string) => inside],
    ['redirects to one', (inside: string) => `${fal.origin}/moved?to=${encodeURIComponent(inside)}`],
  ])(
    'may go wild: a result that %s is never fetched, and the deadline gives the money back',
    async (_, urlOf) => {
      const inside = await FakeReplicate.start();
      fal.result = { video: { url: urlOf(`${inside.origin}/files/secret.mp4`) } };
      fal.words = ['completed'];
      const { caller, answer } = await generate('film-f');
      const { id } = fal.accepted.at(-1)!;

      await age('look');
      await expectEventually(() => fal.seen.some(({ path }) => path.endsWith(`/requests/${id}`)));
      await expectEventually(async () => (await pollsOf(answer.body.jobId)) > 0);
      expect((await jobOf(answer.body.poll)).status).toBe('running');
      await age('deadline');

      await expectEventually(async () => (await balance(caller)) === FUNDS);
      await expectEventually(() => fal.accepted.at(-1)?.cancelled === true);
      expect(inside.seen).toHaveLength(0);
      await inside.stop();
    },
  );

  it('answer a chat, by the second route when the first did not take it, and never after doubt', async () => {
    const chat = () => call('/v1/agent/chat', { messages: [{ role: 'user', content: 'hi' }] });
    openai.failNext('chat', 429);
    const moved = await chat();
    expect(moved.answer.body.choices[0].message.content).toBe('Hello there.');
    expect(openai.completions.at(-1)?.['model']).toBe('gpt-4o-mini');

    const before = openai.completions.length;
    openai.failNext('chat', 'drop reply');
    const lost = await chat();

    expect(lost.answer.status).toBe(503);
    expect(openai.completions).toHaveLength(before + 1);
    expect(await balance(lost.caller)).toBe(FUNDS);
  });

  it('are never named to callers, nor are their words', () => {
    // Ids are random letters, which may contain any short name.
    const everything = JSON.stringify(received.map(({ headers, body }) => ({ headers, body })))
      .replace(/\b(?:ch|job|med|req)_[\w-]+/g, 'id')
      .toLowerCase();
    const found = (words: readonly string[]): readonly string[] =>
      words.filter((word) => everything.includes(word));

    expect(received.length).toBeGreaterThan(20);
    const names = ['replicate', 'openai', 'fal-ai', 'fal.run', 'flux', 'veo', 'sora', 'gpt'];
    expect(found([VENDOR_WORDS, ...names, ...fakes.map(({ host }) => host)])).toEqual([]);
  });
});
