import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { cloneDatabase } from '../support/postgres';
import { type Answer, World } from '../support/world';

const VERSION = '2026-07-28';
const TASKS = 'io.modelcontextprotocol/tasks';
const FUNDS = 20_000_000n;

/** The answers are checked by what they match. */
type Facts = Answer['body'];

interface Message {
  readonly result?: Facts;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object };
}

describe('films as tasks of the protocol', () => {
  let world: World;
  let database: string;
  let caller: KeyCaller;

  beforeAll(async () => {
    database = await cloneDatabase();
    world = await World.start({ DATABASE_URL: database });
  });
  beforeEach(async () => {
    caller = await KeyCaller.register(world, FUNDS);
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const send = async (
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    { at = world, extensions = { [TASKS]: {} } as object } = {},
  ): Promise<Message> => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': VERSION,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': { extensions },
    };
    const named = params['name'] ?? params['taskId'];
    const { body } = await at.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
      {
        'x-api-key': caller.key,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': VERSION,
        'mcp-method': method,
        ...(named === undefined ? {} : { 'mcp-name': named as string }),
      },
    );
    return body as Message;
  };
  const film = (prompt: string, more: object = {}) =>
    send('tools/call', { name: 'generate_video', arguments: { prompt, duration: 4, ...more } });
  const getTask = async (taskId: string) => (await send('tasks/get', { taskId })).result!;
  const ended = async (taskId: string) => {
    let task = await getTask(taskId);
    await expectEventually(async () => {
      task = await getTask(taskId);
      return task['status'] !== 'working';
    });
    return task;
  };
  const balance = async () =>
    BigInt((await world.get('/v1/agent/balance', { 'x-api-key': caller.key })).body.balanceMicro as number);

  it('are announced', async () => {
    const { result } = await send('server/discover');

    expect(result!['capabilities'].extensions).toEqual({ [TASKS]: {} });
  });

  it('have the id of their job, go on without a connection, and end with the result of the tool', async () => {
    const { result } = await film('A red fox [[delay 1s]]');

    expect(result).toMatchObject({
      resultType: 'task',
      status: 'working',
      statusMessage: expect.stringMatching(/^The video is at \d+ %\.$/),
      createdAt: expect.stringMatching(/Z$/),
      ttlMs: null,
      pollIntervalMs: 2_000,
      _meta: { 'lamppost/charge': { state: 'charged' } },
    });
    const { taskId } = result as { taskId: string };
    const job = await world.get(`/v1/agent/jobs/${taskId}`);
    expect(job.status).toBe(200);
    const task = await ended(taskId);
    expect(task).toMatchObject({
      resultType: 'complete',
      taskId,
      status: 'completed',
      createdAt: job.body.createdAt,
      result: { structuredContent: { status: 'done', url: expect.stringContaining('/media/') } },
    });
    expect(task['result'].content).toContainEqual(
      expect.objectContaining({ type: 'resource_link', uri: task['result'].structuredContent.url }),
    );
    expect(task['result'].isError).toBeUndefined();
    expect(FUNDS - (await balance())).toBe(BigInt(result!['_meta']['lamppost/charge'].priceMicro as number));
  });

  it('that fail are completed with an error of the tool, and cost nothing', async () => {
    const { result } = await film('A red fox [[delay 1s]] [[fail]]');

    const task = await ended(result!['taskId'] as string);

    expect(task).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(task['result'].content[0].text).toContain('failed');
    await expectEventually(async () => (await balance()) === FUNDS);
  });

  it('are cancelled, and the answer to that is empty whatever the task is', async () => {
    const { result } = await film('A red fox [[delay 600s]]');
    const { taskId } = result as { taskId: string };

    const cancelled = await send('tasks/cancel', { taskId });

    expect(cancelled.result).toMatchObject({ resultType: 'complete' });
    expect((await ended(taskId))['status']).toBe('cancelled');
    await expectEventually(async () => (await balance()) === FUNDS);
    for (const other of [taskId, 'job_that_is_none'])
      expect((await send('tasks/cancel', { taskId: other })).result).toBeDefined();
    expect((await send('tasks/update', { taskId, inputResponses: {} })).result).toBeDefined();
  });

  it('are not given to clients that know no tasks', async () => {
    const without = { extensions: {} };
    const { result } = await send(
      'tools/call',
      { name: 'generate_video', arguments: { prompt: 'A fox [[delay 600s]]', duration: 4, waitSeconds: 0 } },
      without,
    );

    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'running' } });
    const { jobId: taskId } = result!['structuredContent'] as { jobId: string };
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update'])
      expect((await send(method, { taskId }, without)).error).toMatchObject({
        code: -32_021,
        data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
      });
    expect((await getTask(taskId))['status']).toBe('working');
  });

  it('are not made of what is done at once', async () => {
    const { result } = await send('tools/call', {
      name: 'generate_image',
      arguments: { prompt: 'A red fox', inline: false },
    });

    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'done' } });
  });

  it('that nobody knows are an error, and so is an id that is none', async () => {
    expect((await send('tasks/get', { taskId: 'job_that_is_none' })).error).toMatchObject({ code: -32_602 });
    expect((await send('tasks/get', { taskId: 7 as never })).error).toMatchObject({ code: -32_602 });
    expect((await send('tasks/list')).error).toMatchObject({ code: -32_601 });
    expect((await send('tasks/result', { taskId: 'job_that_is_none' })).error).toMatchObject({
      code: -32_601,
    });
  });

  it('are answered by another process, too', async () => {
    const { result } = await film('A red fox [[delay 2s]]');
    const other = await World.start({ DATABASE_URL: database });
    try {
      const taskId = result!['taskId'] as string;
      let task: Facts = {};
      await expectEventually(async () => {
        task = (await send('tasks/get', { taskId }, { at: other })).result!;
        return task['status'] === 'completed';
      });
      expect(task['result'].structuredContent).toMatchObject({ status: 'done' });
    } finally {
      await other.stop();
    }
  });
});
