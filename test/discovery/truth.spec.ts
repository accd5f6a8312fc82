import type { OpenAPIObject } from '@nestjs/swagger';
import type { InjectOptions } from 'fastify';

import { routeFixtureOf } from '../contract/route-fixtures';
import { KeyCaller } from '../support/caller';
import { DocumentCheck, type SentAnswer } from '../support/document-check';
import { recordingForm } from '../support/recording-form';
import { World } from '../support/world';
import { refusedOrigin } from '../support/closed-port';

interface Operation {
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: Readonly<Record<string, { value: object }>> }>
    >;
  };
  readonly 'x-payment-info'?: object;
}

const METHODS = ['get', 'post', 'delete'] as const;

/**
 * `World` compares every answer with the document, and fails the test that gets a different one. This test only makes
 * the calls that the document shows.
 */
describe('what the document shows', () => {
  let world: World;
  let caller: KeyCaller;
  let operations: readonly {
    readonly method: string;
    readonly path: string;
    readonly operation: Operation;
  }[];
  /** Existing values for the parameters in addresses. */
  let known: Readonly<Record<string, string | readonly string[]>>;

  beforeAll(async () => {
    world = await World.start({ FETCH_ALLOW_HOSTS: '127.0.0.1' });
    caller = await KeyCaller.register(world, 100_000_000n);
    const document = (await world.get('/openapi.json')).body as OpenAPIObject;
    operations = Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = (item as Record<string, Operation>)[method];
        // A route that needs more than the sandbox keeps its contract on its own settings.
        const needsMore = routeFixtureOf(path)?.start !== undefined;
        return operation === undefined || needsMore
          ? []
          : [{ method: method.toUpperCase(), path, operation }];
      }),
    );
    const headers = { 'x-api-key': caller.key };
    const video = await world.post('/v1/agent/videos', { prompt: 'waves' }, headers);
    const slow = await world.post('/v1/agent/videos', { prompt: 'waves [[delay 600s]]' }, headers);
    const reference = await world.post('/v1/agent/references', exampleOf('/v1/agent/references'), headers);
    const image = await world.post('/v1/agent/generate', { prompt: 'a red dot' }, headers);
    const url = `${await refusedOrigin()}/`;
    const [toDelete, webhook] = await Promise.all(
      [1, 2].map(() => world.post('/v1/agent/webhooks', { url }, headers)),
    );
    const event = await world.db.one<{ id: string }>(`select id from event where type = 'job.done' limit 1`);
    const file = await world.get(new URL(image.body.url).pathname);
    const [provenance = ''] = /prv_[\w-]+/.exec(String(file.body)) ?? [];
    const limits = { limitMicro: 1_000, expiresInSeconds: 60 };
    const handed = await world.post('/v1/agent/keys', limits, { 'x-api-key': caller.key });
    known = {
      '/v1/agent/provenance/{id}': provenance,
      '/v1/agent/jobs/{id}': video.body.id,
      '/v1/agent/jobs/{id}/cancel': slow.body.id,
      '/v1/agent/jobs/{id}/events': video.body.id,
      '/v1/agent/keys/{id}': handed.body.id,
      '/v1/agent/videos/{id}': video.body.id,
      '/v1/agent/webhooks/{id}': toDelete?.body.id,
      '/v1/agent/webhooks/{id}/rotate': webhook?.body.id,
      '/v1/agent/webhooks/{id}/test': webhook?.body.id,
      '/v1/agent/webhooks/{id}/deliveries': webhook?.body.id,
      '/v1/agent/webhooks/{id}/deliveries/{eventId}/replay': [webhook?.body.id, event?.id ?? ''],
      '/v1/agent/videos/{id}/content': video.body.id,
      '/v1/agent/charges/{id}': video.headers['x-charge-id'] ?? '',
      '/v1/agent/references/{id}': reference.body.asset.id,
      '/v1/agent/x402/balance/{wallet}': '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
      '/v1/agent/x402/transactions/{wallet}': '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    };
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const exampleOf = (path: string): object | undefined =>
    operations.find((one) => one.path === path && one.method === 'POST')?.operation.requestBody?.content[
      'application/json'
    ]?.examples?.['example']?.value;

  /** The document has no example of a form with a file. */
  const isForm = (path: string): boolean =>
    exampleOf(path) === undefined &&
    operations.some(
      (one) => one.path === path && one.operation.requestBody?.content['multipart/form-data'] !== undefined,
    );

  const send = async (
    { method, path }: (typeof operations)[number],
    headers: Readonly<Record<string, string>>,
  ): Promise<string> => {
    const body = method === 'POST' ? exampleOf(path) : undefined;
    const names = [known[path] ?? ''].flat();
    const url = path.replaceAll(/\{\w+\}/g, () => names.shift() ?? '').replace(/search$/, 'search?q=dot');
    const [type, payload] = isForm(path)
      ? await recordingForm()
      : (['application/json', body && JSON.stringify(body)] as const);
    const { status } = await world.send({
      method,
      url,
      headers: { ...headers, ...(payload === undefined ? {} : { 'content-type': type }) },
      ...(payload === undefined ? {} : { payload }),
    } as InjectOptions);
    return `${status} ${method} ${path}`;
  };

  it('is an example for every body, which works with a key', async () => {
    const answers: string[] = [];
    for (const one of operations) {
      if (one.operation.requestBody !== undefined && !isForm(one.path))
        expect([one.path, exampleOf(one.path)]).not.toContain(undefined);
      answers.push(await send(one, { 'x-api-key': caller.key }));
    }

    // A top-up takes only payments on chain, and the video may not be finished.
    const odd = answers.filter(
      (answer) => !/^20[012] /.test(answer) && !/^402 .*top-up$|^(302|409) .*content$/.test(answer),
    );
    expect(odd).toEqual([]);
    expect(answers.length).toBeGreaterThan(20);
  });

  it('asks for a payment, in the documented form, where there is no credential', async () => {
    const paid = operations.filter(({ operation }) => operation['x-payment-info'] !== undefined);

    const answers = await Promise.all(paid.map((one) => send(one, {})));

    expect(answers).toEqual(paid.map(({ path }) => `402 POST ${path}`));
  });

  it('says what a dry run answers', async () => {
    const paid = operations.filter(
      ({ path, operation }) => operation['x-payment-info'] && !path.endsWith('top-up'),
    );

    for (const { path } of paid) {
      const dry = { ...exampleOf(path), dryRun: true };
      const { body } = await world.post(path, dry, { 'x-api-key': caller.key });
      expect(body).toMatchObject({ dryRun: true, rail: 'api-key' });
    }
  });

  it.each([
    ['a type that is not taken', 415, { 'content-type': 'text/plain' }, '{}'],
    ['a body that is too large', 413, { 'content-type': 'application/json' }, 'x'.repeat(500 * 1024)],
    ['a body that is no JSON', 400, { 'content-type': 'application/json' }, '{'],
  ])(
    'says that no money moved, also before the route is asked, to %s',
    async (_what, status, headers, payload) => {
      const answer = await world.send({ method: 'POST', url: '/v1/agent/chat', headers, payload });

      expect([answer.status, answer.headers['x-charge-state']]).toEqual([status, 'none']);
    },
  );

  it('is compared with the answers by a check that finds what is untrue', async () => {
    const document = (await world.get('/openapi.json')).body as OpenAPIObject;
    const check = new DocumentCheck([document]);
    const { body, headers } = await world.get(
      '/v1/agent/x402/balance/0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    );
    const good: SentAnswer = {
      method: 'GET',
      route: '/v1/agent/x402/balance/:wallet',
      status: 200,
      headers,
      body,
    };
    const problems = (change: Partial<SentAnswer>): number =>
      check.problemsWith({ ...good, ...change }).length;

    expect({
      asItIs: problems({}),
      otherStatus: problems({ status: 418 }),
      otherHeader: problems({ headers: { ...headers, 'x-charge-id': 'ch_1' } }),
      otherType: problems({ headers: { ...headers, 'content-type': 'text/html' } }),
      missingField: problems({ body: { wallet: body.wallet } }),
      extraField: problems({ body: { ...body, secret: 1 } }),
      wrongField: problems({ body: { ...body, balanceMicro: '5' } }),
      otherRoute: problems({ route: '/health/live', status: 418 }),
    }).toEqual({
      asItIs: 0,
      otherStatus: 1,
      otherHeader: 1,
      otherType: 1,
      missingField: 1,
      extraField: 1,
      wrongField: 1,
      otherRoute: 0,
    });
  });
});
