import { type IncomingMessage, request } from 'node:http';

import type { OpenAPIObject } from '@nestjs/swagger';

import { KeyCaller } from '../support/caller';
import { World } from '../support/world';

/** Far below the interval of heartbeats. */
const PATIENCE_MS = 4_000;

interface Opened {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

describe('a stream that has nothing to say yet', () => {
  let world: World;
  let base: string;
  let caller: KeyCaller;

  beforeAll(async () => {
    world = await World.start();
    base = await world.listen();
    caller = await KeyCaller.register(world, 50_000_000n);
  });

  afterAll(() => world.stop());

  const headersOf = ({ method, path, headers, body }: Opened): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const call = request(`${base}${path}`, {
        method,
        headers: {
          'x-api-key': caller.key,
          accept: 'text/event-stream',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        timeout: PATIENCE_MS,
      });
      call.on('timeout', () => call.destroy(new Error('no headers came')));
      call.on('error', reject);
      call.on('response', (response) => {
        response.on('error', () => undefined);
        response.destroy();
        resolve(response);
      });
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });

  const runningJob = async (): Promise<string> => {
    const body = { modelId: 'torch-video', prompt: 'Waves [[delay 60s]]' };
    return String((await world.post('/v1/agent/generate', body, { 'x-api-key': caller.key })).body.jobId);
  };
  const newestEvent = async (): Promise<string> => {
    const { body } = await world.get('/v1/agent/events', { 'x-api-key': caller.key });
    return String(body.nextCursor);
  };

  /** Opens each streaming route while nothing happens. */
  const STREAMS: Readonly<Record<string, () => Promise<Opened>>> = {
    'GET /v1/agent/events': async () => {
      await runningJob();
      return { method: 'GET', path: `/v1/agent/events?after=${await newestEvent()}` };
    },
    'GET /v1/agent/jobs/{id}/events': async () => ({
      method: 'GET',
      path: `/v1/agent/jobs/${await runningJob()}/events`,
    }),
    'POST /v1/chat/completions': () => {
      return Promise.resolve({
        method: 'POST',
        path: '/v1/chat/completions',
        body: {
          messages: [{ role: 'user', content: 'one two three [[pace 8s]]' }],
          max_tokens: 16,
          stream: true,
        },
      });
    },
  };

  it.each(Object.keys(STREAMS))('has headers at once: %s', async (route) => {
    const { statusCode, headers } = await headersOf(await STREAMS[route]!());

    expect(statusCode).toBe(200);
    expect(headers['content-type']).toContain('text/event-stream');
  });

  it('is of one of these routes, because no other streams', async () => {
    const { body } = await world.get('/v1/agent/openapi.json');
    const streams = Object.entries((body as OpenAPIObject).paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, object>)
        .filter(([, operation]) => JSON.stringify(operation).includes('text/event-stream'))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );

    expect(streams.toSorted()).toEqual(Object.keys(STREAMS).toSorted());
  });
});
