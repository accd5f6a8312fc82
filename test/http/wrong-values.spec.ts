import { randomInt } from 'node:crypto';

import type { OpenAPIObject } from '@nestjs/swagger';
import type { InjectOptions } from 'fastify';

import { KeyCaller } from '../support/caller';
import { IS_NIGHTLY } from '../support/nightly';
import { numbersFrom } from '../support/random';
import { type WrongRequest, wrongRequests } from '../support/wrong-values';
import { World } from '../support/world';

/**
 * `WRONG_VALUES_SEED=… npx jest test/http/wrong-values` repeats the requests of a run, and `WRONG_VALUES_REQUESTS` sets
 * their number. By day the requests are always the same, so that a change is refused only for its own fault. At night
 * they differ each time.
 */
const SEED = Number(process.env['WRONG_VALUES_SEED'] ?? (IS_NIGHTLY ? randomInt(1_000_000_000) : 20_261_125));
const REQUESTS = Number(process.env['WRONG_VALUES_REQUESTS'] ?? (IS_NIGHTLY ? 20_000 : 5_000));
const AT_ONCE = 16;

const shuffled = <T>(items: readonly T[], next: () => number): T[] => {
  const list = [...items];
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(next() * (at + 1));
    [list[at], list[other]] = [list[other]!, list[at]!];
  }
  return list;
};

/** Calls that end the session of all other requests, or change its password. */
const LEFT_OUT = /^(POST \/v1\/account\/(sign-out|password)|DELETE \/v1\/account) /;

/** Streams and waits stay open until their reader disconnects. */
const staysOpen = (where: string, { headers, payload }: InjectOptions): boolean =>
  where.startsWith('GET /v1/agent/jobs/{id}/events') ||
  String(headers?.['accept']).includes('event-stream') ||
  String(headers?.['prefer']).includes('wait') ||
  (typeof payload === 'string' && payload.includes('"stream":true'));

/** Routes of other modules are in the last one. */
const DOCUMENTS = ['/v1/agent/openapi.json', '/v1/account/openapi.json', '/v1/extensions/openapi.json'];

describe(`wrong values in every place of every route (seed ${SEED})`, () => {
  let world: World;
  let requests: WrongRequest[];
  const statuses = new Map<number, number>();
  let credentials: readonly Record<string, string>[];

  beforeAll(async () => {
    world = await World.start({ RATE_LIMIT_WEBHOOK_TESTS: '1' });
    const caller = await KeyCaller.register(world, 500_000n);
    const { origin } = new URL(world.settings.http.publicUrl);
    const key = { 'x-api-key': caller.key };
    const chat = await world.post('/v1/agent/chat', { messages: [{ role: 'user', content: 'hello' }] }, key);
    const job = await world.post('/v1/agent/generate', { prompt: 'a fox', dryRun: false }, key);
    credentials = [
      {},
      key,
      { cookie: caller.cookie, origin },
      { authorization: 'Bearer an-admin-token-for-tests' },
    ];
    const ids = {
      id: chat.headers['x-charge-id'] ?? '',
      jobId: String(job.body.jobId ?? ''),
      accountId: caller.accountId,
      organisationId: caller.accountId,
      keyId: caller.keyId,
    };
    const documents = await Promise.all(
      DOCUMENTS.map(async (url) => (await world.get(url)).body as OpenAPIObject),
    );
    const next = numbersFrom(SEED);
    const all = documents.flatMap((document) => wrongRequests(document, ids));
    const sent = all.filter(({ where, request }) => !LEFT_OUT.test(where) && !staysOpen(where, request));
    // Each run tests each place. The seed decides which values it gets.
    const places = new Set<string>();
    const [firsts, others]: [WrongRequest[], WrongRequest[]] = [[], []];
    for (const one of shuffled(sent, next)) {
      (places.has(one.where) ? others : firsts).push(one);
      places.add(one.where);
    }
    requests = [...firsts, ...others]
      .slice(0, Math.max(REQUESTS, firsts.length))
      .map(({ where, request }) => ({
        where,
        request: {
          ...request,
          headers: { ...credentials[Math.floor(next() * credentials.length)], ...request.headers },
        },
      }));
  });

  afterAll(() => world.stop());

  /** The fault of an answer. `World` itself checks that each answer fits the document. */
  const faultOf = async ({ where, request }: WrongRequest): Promise<string | undefined> => {
    const said = `${where}: ${JSON.stringify(request).slice(0, 600)}`;
    try {
      const { status } = await world.send(request);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      return status >= 500 && status !== 503 && status !== 502 ? `${status} for ${said}` : undefined;
    } catch (error) {
      return `${(error as Error).message.slice(0, 500)} for ${said}`;
    }
  };

  it('are never an error of ours, and their answers fit the documents', async () => {
    process.stdout.write(`wrong-values: seed ${SEED}, ${requests.length} requests\n`);
    const found: string[] = [];
    for (let at = 0; at < requests.length && found.length < 200; at += AT_ONCE) {
      const answers = await Promise.all(requests.slice(at, at + AT_ONCE).map(faultOf));
      found.push(...answers.filter((answer) => answer !== undefined));
    }

    expect({ seed: SEED, found }).toEqual({ seed: SEED, found: [] });
    expect(requests.length).toBeGreaterThanOrEqual(REQUESTS);
    // Some requests must pass the guards and reach the routes.
    expect(statuses.get(200) ?? 0).toBeGreaterThan(REQUESTS / 20);
    expect(statuses.get(400) ?? 0).toBeGreaterThan(REQUESTS / 20);
  }, 300_000);
});
