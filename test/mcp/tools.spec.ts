import sharp from 'sharp';

import type { RailName } from '../contract/rail-callers';
import { freePort } from '../../tools/chain/free-port';
import { KeyCaller, WalletCaller } from '../support/caller';
import { type CallToolResult, McpCaller, STATELESS, textOf } from '../support/mcp';
import { paidRoutes } from '../support/paid-routes';
import { World } from '../support/world';

const TOOL_NAMES = [
  'list_models',
  'quote',
  'generate_image',
  'generate_video',
  'chat',
  'get_job',
  'wait_for_job',
  'cancel_job',
  'list_jobs',
  'list_references',
  'store_reference',
  'delete_reference',
  'get_balance',
];
const KEY_TOOLS = ['create_key', 'list_keys', 'revoke_key'];
const CHAT = { messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 16 };

const chargeOf = ({ _meta }: CallToolResult): { readonly id: string } | undefined =>
  _meta?.['lamppost/charge'] as never;

/** A caller of each rail, who gets the answer of a paid tool. */
interface Payer {
  readonly caller: McpCaller;
  readonly paid: (name: string, args: Record<string, unknown>) => Promise<CallToolResult>;
}

describe('the tools, called by the official client', () => {
  let world: World;
  let url: string;
  let payers: Readonly<Record<RailName, Payer>>;
  let wallet: WalletCaller;

  beforeAll(async () => {
    const port = await freePort();
    world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}` });
    url = await world.listen(port);
    const { key } = await KeyCaller.register(world, 100_000_000n);
    wallet = await new WalletCaller().fund(world, 100_000_000n);
    const byKey = await McpCaller.connect(url, { 'x-api-key': key });
    const signIn = { 'Sign-In-With-X': await wallet.signIn(world) };
    const byWallet = await McpCaller.connect(url, signIn, STATELESS);
    const byPayment = await McpCaller.connect(url, {}, 'auto');
    const payer = new WalletCaller();
    payers = {
      'api-key': { caller: byKey, paid: (name, args) => byKey.call(name, args) },
      wallet: { caller: byWallet, paid: (name, args) => byWallet.call(name, args) },
      x402: { caller: byPayment, paid: (name, args) => byPayment.pay(payer, name, args) },
    };
  });

  afterEach(() => world.expectBooksToBalance());

  afterAll(async () => {
    await Promise.all(Object.values(payers).map(({ caller }) => caller.close()));
    await world.stop();
  });

  it('are those that the guide names, each with what it takes, answers and does', async () => {
    const { tools } = await payers.x402.caller.client.listTools();
    const guide = String((await world.get('/v1/agent/guide.md')).body);

    for (const { description, inputSchema, annotations } of tools) {
      expect(description?.length).toBeGreaterThan(30);
      expect(inputSchema.type).toBe('object');
      expect(annotations?.readOnlyHint).toBeDefined();
    }
    for (const name of TOOL_NAMES) expect(guide).toContain(`\`${name}\``);
    const ofRoutes = [...paidRoutes().values()].flatMap(({ options }) => options.tool?.name ?? []);
    expect(tools.map(({ name }) => name).sort()).toEqual([...new Set([...TOOL_NAMES, ...ofRoutes])].sort());
    expect(JSON.stringify(tools)).not.toContain('plainText');
    expect(JSON.stringify(tools)).not.toMatch(/\/v1\/|X-Max-Price/);
  });

  it('cost a model little to read', async () => {
    const { tools } = await payers['api-key'].caller.client.listTools();

    const ofTheService = tools.filter(({ name }) => (TOOL_NAMES as readonly string[]).includes(name));
    expect(JSON.stringify(ofTheService).length).toBeLessThanOrEqual(14_500);
  });

  it('hand on a part of the money: little and not for long, to who may, and to nobody else', async () => {
    const namesFor = async (caller: McpCaller) =>
      (await caller.client.listTools()).tools
        .map(({ name }) => name)
        .filter((name) => KEY_TOOLS.includes(name));
    const { caller } = payers['api-key'];
    expect(await namesFor(caller)).toEqual(KEY_TOOLS);

    const made = await caller.call('create_key', { name: 'helper', scopes: { routes: ['chat'] } });
    const { id, key, limitMicro, expiresAt } = made.structuredContent as Record<string, string>;
    expect(limitMicro).toBe(1_000_000);
    expect(Date.parse(expiresAt ?? '') - Date.now()).toBeLessThanOrEqual(3_600_000);
    const helper = await McpCaller.connect(url, { 'x-api-key': key ?? '' });
    expect(await namesFor(helper)).toEqual([]);
    expect((await helper.call('chat', CHAT)).isError).toBeFalsy();
    expect((await caller.call('list_keys', {})).structuredContent).toMatchObject({ keys: [{ id }] });
    expect((await caller.call('revoke_key', { id })).structuredContent).toEqual({ ok: true });
    await expect(helper.call('chat', CHAT)).rejects.toThrow('KEY_NOT_FOUND');
    await helper.close();

    // A wallet's sign-in must name this resource, or that of keys.
    const resource = `${world.settings.http.publicUrl}/mcp`;
    const bound = await McpCaller.connect(url, {
      'Sign-In-With-X': await wallet.signIn(world, { resource }),
    });
    expect((await bound.call('create_key', { limitMicro: 5_000 })).isError).toBeFalsy();
    expect((await bound.call('create_key', { limitMicro: 5_000 })).isError).toBe(true);
    await bound.close();
  });

  it('list_models and quote say what there is and what it costs, free and the same as the routes', async () => {
    const { caller } = payers.x402;

    const models = await caller.call('list_models');
    const quote = await caller.call('quote', { modelId: 'ember-image' });

    expect(models.structuredContent).toEqual((await world.get('/v1/agent/models')).body);
    expect(quote.structuredContent).toMatchObject({ modelId: 'ember-image', priceMicro: 30_770 });
    expect(textOf(quote)).toEqual(quote.structuredContent);
  });

  describe.each(['api-key', 'wallet', 'x402'] as const)('paid on the %s rail', (rail) => {
    it('chat answers, and says what became of the money', async () => {
      const answer = await payers[rail].paid('chat', CHAT);

      expect(answer.isError).toBeUndefined();
      expect(answer.structuredContent).toMatchObject({
        choices: [{ message: { role: 'assistant' }, finish_reason: 'length' }],
      });
      const charge = chargeOf(answer);
      expect(charge).toMatchObject({ state: 'charged', priceMicro: 2_000 });
      expect((await world.get(`/v1/agent/charges/${charge?.id}`)).body).toMatchObject({
        state: 'charged',
        rail,
      });
      expect(answer._meta?.['x402/payment-response']).toEqual(
        rail === 'x402' ? expect.objectContaining({ success: true }) : undefined,
      );
    });

    it('generate_image answers with the image itself', async () => {
      const { structuredContent, content, isError } = await payers[rail].paid('generate_image', {
        prompt: 'a lamp at night',
      });

      expect([isError, structuredContent?.['status']]).toEqual([undefined, 'done']);
      const [image] = content;
      expect(image).toMatchObject({ type: 'image', mimeType: 'image/png' });
      const bytes = Buffer.from(image?.type === 'image' ? image.data : '', 'base64');
      expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    });

    it('generate_video starts without a model named, and wait_for_job and get_job see it done', async () => {
      const { paid, caller } = payers[rail];

      const started = await paid('generate_video', { prompt: 'waves', waitSeconds: 0, aspectRatio: '16:9' });
      const { status, jobId } = started.structuredContent as { status: string; jobId: string };
      const ended = await caller.call('wait_for_job', { jobId, waitSeconds: 20 });
      const seen = await caller.call('get_job', { jobId });

      expect(status).toBe('running');
      expect(ended.structuredContent).toMatchObject({
        status: 'done',
        kind: 'video',
        modelId: 'torch-video',
      });
      expect(seen.structuredContent).toMatchObject({ status: 'done', chargeState: 'charged' });
    });

    it('get_balance says what is left', async () => {
      const args = rail === 'api-key' ? {} : { wallet: wallet.wallet };

      const { structuredContent } = await payers[rail].caller.call('get_balance', args);

      expect(structuredContent?.['balanceMicro']).toBeGreaterThan(0);
    });

    it('the same call with the same mark is charged once', async () => {
      const args = { ...CHAT, idempotencyKey: `mark-of-${rail}` };

      const first = await payers[rail].paid('chat', args);
      const second = await payers[rail].paid('chat', args);

      expect(second.structuredContent?.['choices']).toEqual(first.structuredContent?.['choices']);
      expect(chargeOf(second)).toMatchObject({ id: chargeOf(first)?.id, replayed: true });
    });
  });

  it.each(['api-key', 'wallet'] as const)('keeps the references of the %s rail', async (rail) => {
    const { caller } = payers[rail];
    const pixel = await sharp({
      create: { width: 8, height: 8, channels: 3, background: rail === 'wallet' ? 'red' : 'blue' },
    })
      .png()
      .toBuffer();

    const stored = await caller.call('store_reference', {
      media: `data:image/png;base64,${pixel.toString('base64')}`,
      label: 'A square',
    });
    const { id } = (stored.structuredContent as { asset: { id: string } }).asset;
    const listed = await caller.call('list_references');
    const used = await payers[rail].paid('generate_image', {
      prompt: 'bigger',
      modelId: 'ember-edit',
      referenceIds: [id],
    });
    const deleted = await caller.call('delete_reference', { id });
    const again = await caller.call('delete_reference', { id });

    expect(listed.structuredContent).toMatchObject({ refs: [{ id, label: 'A square', kind: 'image' }] });
    expect(used.structuredContent).toMatchObject({ status: 'done' });
    expect(deleted.structuredContent).toEqual({ ok: true });
    expect(again).toMatchObject({ isError: true, structuredContent: { error: { code: 'NOT_FOUND' } } });
  });

  it('keeps no references for those who do not say who they are', async () => {
    const answer = await payers.x402.caller.call('list_references');

    expect(answer).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'MISSING_CREDENTIALS' } },
    });
  });

  it('an unpaid call is an error that says what to pay, in the form of the x402 transport', async () => {
    const answer = await payers.x402.caller.call('generate_image', { prompt: 'a lamp' });

    expect(answer.isError).toBe(true);
    expect(answer.structuredContent).toMatchObject({
      x402Version: 2,
      resource: { url: 'mcp://tool/generate_image' },
      accepts: [{ scheme: 'exact', network: 'eip155:8453', amount: '30770' }],
    });
    expect(textOf(answer)).toEqual(answer.structuredContent);
  });

  it('a payment that is no good is refused with a fresh offer', async () => {
    const answer = await payers.x402.caller.call('chat', CHAT, { 'x402/payment': { x402Version: 2 } });

    expect(answer.isError).toBe(true);
    expect(answer.structuredContent).toMatchObject({ x402Version: 2, accepts: [{ amount: '2000' }] });
  });

  it('wrong arguments are an error that names them, whichever layer checks them', async () => {
    const { caller } = payers['api-key'];

    const [byRoute, byTool] = [
      await caller.call('generate_image', { prompt: '' }),
      await caller.call('wait_for_job', { jobId: 'job_1', waitSeconds: 1_000 }),
    ];

    expect(byRoute).toMatchObject({ isError: true, structuredContent: { error: { param: 'prompt' } } });
    expect(byTool).toMatchObject({ isError: true, structuredContent: { error: { param: 'waitSeconds' } } });
    await expect(caller.call('make_coffee')).rejects.toThrow('There is no tool make_coffee');
  });

  it('an argument that no tool has is refused with the one that was meant, and nothing is charged', async () => {
    const { caller } = payers['api-key'];
    const misspelt = { prompt: 'a lamp', aspect_ratio: '16:9' };

    const refused = await caller.call('generate_image', misspelt);
    const unknown = await caller.call('wait_for_job', { jobId: 'job_1', colour: 'red' });

    expect(refused).toMatchObject({ isError: true, structuredContent: { error: { param: 'aspect_ratio' } } });
    expect(refused.content).toEqual([
      { type: 'text', text: 'generate_image does not know aspect_ratio. Did you mean aspectRatio?' },
    ]);
    expect(unknown.content).toEqual([
      { type: 'text', text: 'wait_for_job does not know colour. It takes jobId, inline, waitSeconds.' },
    ]);
    expect(chargeOf(refused)).toBeUndefined();
  });

  it('says what was made, what it costs and what is left, and links the medium', async () => {
    const { caller } = payers['api-key'];
    const made = await caller.call('generate_image', { prompt: 'a lamp', inline: false });
    const { url, charge } = made.structuredContent as { url: string; charge: { balanceMicro: number } };

    expect(made.content).toEqual([
      {
        type: 'text',
        text: expect.stringMatching(
          /^The image is done: http\S+\n\(It costs \$0\.\d+\. \$\d+\.\d+ is left\.\)$/,
        ),
      },
      { type: 'resource_link', uri: url, name: 'image' },
    ]);
    expect(charge.balanceMicro).toBeGreaterThan(0);
    const running = await caller.call('generate_video', { prompt: 'waves [[delay 30s]]', waitSeconds: 0 });
    expect(running.content).toMatchObject([
      { text: expect.stringMatching(/Call wait_for_job with jobId job_/) },
    ]);
  });

  it('wrong arguments are answered with the right ones, which work', async () => {
    const { caller } = payers['api-key'];
    const wrong = { ...CHAT, max_tokens: '16', idempotencyKey: 'taught-by-the-error' };

    const refused = await caller.call('chat', wrong);
    const { fix } = refused.structuredContent as { fix: Record<string, unknown> };
    const answer = await caller.call('chat', fix);

    expect(fix).toEqual({ ...wrong, max_tokens: 16 });
    expect(answer.isError).toBeUndefined();
  });

  it('a job that fails is an error, and costs nothing', async () => {
    const answer = await payers['api-key'].paid('generate_video', {
      prompt: 'waves [[fail]]',
      waitSeconds: 20,
    });

    expect(answer).toMatchObject({ isError: true, structuredContent: { status: 'failed' } });
  });

  it('a wait reports its progress and ends before a client’s timeout', async () => {
    const { caller, paid } = payers['api-key'];
    const { structuredContent } = await paid('generate_video', {
      prompt: 'waves [[delay 30s]]',
      waitSeconds: 0,
    });
    const reported: number[] = [];

    const answer = await caller.client.callTool(
      { name: 'wait_for_job', arguments: { jobId: structuredContent?.['jobId'], waitSeconds: 3 } },
      { onprogress: ({ progress }: { progress: number }) => reported.push(progress) },
    );

    expect(answer.structuredContent).toMatchObject({ status: 'running' });
    expect(reported.length).toBeGreaterThan(0);
    expect(reported).toEqual([...reported].sort((a, b) => a - b));
  });

  it('reads the catalog and the guide as resources', async () => {
    const { client } = payers.x402.caller;

    const { resources } = await client.listResources();
    const texts = await Promise.all(
      resources.map(async ({ uri }) => {
        const [content] = (await client.readResource({ uri })).contents;
        return content !== undefined && 'text' in content ? content.text : '';
      }),
    );

    expect(resources.map(({ uri }) => uri)).toEqual(['lamppost://catalog', 'lamppost://guide']);
    expect(JSON.parse(texts[0] ?? '')).toHaveProperty('textModels');
    expect(texts[1]).toBe((await world.get('/v1/agent/guide.md')).body);
    await expect(client.readResource({ uri: 'lamppost://none' })).rejects.toThrow(
      'There is no such resource',
    );
  });

  it('offers prompts with the words of its caller in them', async () => {
    const { client } = payers.x402.caller;

    const { prompts } = await client.listPrompts();
    const { messages } = await client.getPrompt({
      name: 'illustrate',
      arguments: { text: 'A tale of a fox.' },
    });

    expect(prompts.map(({ name }) => name)).toEqual(['illustrate', 'make_video']);
    expect(JSON.stringify(messages)).toContain('A tale of a fox.');
    await expect(client.getPrompt({ name: 'none' })).rejects.toThrow('There is no such prompt');
  });
});
