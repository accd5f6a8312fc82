import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import sharp from 'sharp';

import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import type { Answer, World } from '../support/world';
import { TextVendor, event, openStream, piece, usage } from './text-vendor';

const PATH = '/v1/chat/completions';
const FUNDS = 5_000_000;

/** The vendor's bill, at one token for four letters. Real vendors charge more. */
const billFor = (sent: string, written = ''): number =>
  Math.floor((sent.length / 4) * 3 + (written.length / 4) * 15);

describe('text that nobody pays', () => {
  let vendor: TextVendor;
  let world: World;
  let url: string;
  let caller: KeyCaller;

  beforeAll(async () => {
    vendor = await new TextVendor().start();
    world = await vendor.world();
    url = await world.listen();
  });

  beforeEach(async () => {
    vendor.forget();
    caller = await KeyCaller.register(world, BigInt(FUNDS));
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await vendor.stop();
  });

  const ask = (body: object, by = caller): Promise<Answer> => world.post(PATH, body, { 'x-api-key': by.key });

  const paid = async (by = caller): Promise<number> => {
    const [row] = await world.db.rows<{ paid: string }>(
      `select coalesce(sum(amount_micro), 0)::text as paid from ledger_entry
       where kind = 'debit' and account_id = $1`,
      [`credits:${by.accountId}`],
    );
    return Number(row?.paid);
  };

  const settled = (by = caller): Promise<void> =>
    expectEventually(
      async () =>
        (await world.db.rows(`select from charge where payer = $1 and state = 'held'`, [by.accountId]))
          .length === 0,
    );

  const user = (content: unknown) => [{ role: 'user', content }];

  describe('is not free through what is left out of the count', () => {
    const LONG = 'long '.repeat(60_000);

    it.each<[string, object]>([
      [
        'a description under the name of an image, in a tool',
        {
          messages: user('hi'),
          tools: [
            {
              type: 'function',
              function: {
                name: 'look',
                parameters: { type: 'object', properties: { image_url: { description: LONG } } },
              },
            },
          ],
        },
      ],
      [
        'the arguments of a call',
        {
          messages: [
            ...user('hi'),
            {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: LONG } }],
            },
          ],
        },
      ],
      [
        'a schema for the answer',
        {
          messages: user('hi'),
          response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { image_url: LONG } } },
        },
      ],
      [
        'thoughts',
        { messages: [...user('hi'), { role: 'assistant', content: 'a', reasoning_content: LONG }] },
      ],
      ['a field of a message', { messages: [{ role: 'user', content: 'hi', cargo: LONG }] }],
      ['a field of a part', { messages: user([{ type: 'text', text: 'hi', cargo: LONG }]) }],
    ])('%s is set aside for before it is passed on', async (_, body) => {
      const poor = await KeyCaller.register(world, 100_000n);

      const refused = await ask({ model: 'words', ...body }, poor);
      const answer = await ask({ model: 'words', ...body });

      expect([refused.status, refused.body.error.code]).toEqual([402, 'INSUFFICIENT_FUNDS']);
      expect(answer.status).toBe(200);
      const [asked] = vendor.asked;
      expect(vendor.asked).toHaveLength(1);
      const held = await world.db.one<{ held: string }>(
        'select list_micro::text as held from charge where payer = $1',
        [caller.accountId],
      );
      // The hold covers one token for each byte that the service really sent.
      expect(Number(held?.held)).toBeGreaterThanOrEqual((asked!.text.length - 200) * 3);
    });

    it.each<[string, object]>([
      ['functions', { functions: [{ name: 'f', description: LONG }] }],
      ['service_tier', { service_tier: 'priority' }],
      ['web_search_options', { web_search_options: { search_context_size: 'high' } }],
      ['models', { models: ['a-dear-one'] }],
      ['modalities', { modalities: ['audio'], audio: { voice: 'alloy', format: 'wav' } }],
      ['prediction', { prediction: { type: 'content', content: LONG } }],
      ['plugins', { plugins: [{ id: 'web' }] }],
      ['what nobody knows', { stow_away: LONG }],
    ])('%s stays here', async (_, more) => {
      const answer = await ask({ model: 'words', messages: user('hi'), ...more });

      expect(answer.status).toBe(200);
      const [asked] = vendor.asked;
      const known = ['messages', 'model', 'max_tokens', 'stream', 'stream_options'];
      expect(Object.keys(asked!.body).filter((name) => !known.includes(name))).toEqual([]);
      expect(asked!.text.length).toBeLessThan(1_000);
    });

    it('a part of text brings no address to the vendor', async () => {
      const part = { type: 'text', text: 'hi', image_url: { url: 'http://10.0.0.1/' } };
      const answer = await ask({ model: 'words', messages: user([part]) });

      expect([answer.status, answer.body.error.param]).toEqual([400, 'messages[0].content[0].image_url']);
      expect(vendor.asked).toEqual([]);
    });

    it.each([{ type: 'web_search' }, { type: 'mcp', server_url: 'https://mcp.example' }, {}])(
      'a tool that runs at the vendor is refused: %j',
      async (tool) => {
        const answer = await ask({ model: 'words', messages: user('hi'), tools: [tool] });

        expect(answer.status).toBe(400);
        expect(answer.body.error.param).toContain('tools[0]');
        expect(vendor.asked).toEqual([]);
      },
    );

    it('an image is set aside for at what the model may count it as', async () => {
      const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#642' } })
        .png()
        .toBuffer();
      const image = {
        type: 'image_url',
        image_url: { url: `data:image/png;base64,${png.toString('base64')}` },
      };
      const poor = await KeyCaller.register(world, 70_000n);
      const content = [{ type: 'text', text: 'What is it?' }, image];

      const costly = await ask({ model: 'words', messages: user(content) }, poor); // 20000 tokens are 60000 micro.
      const twice = await ask({ model: 'words', messages: user([...content, image]), max_tokens: 8 }, poor);
      const cheap = await ask({ model: 'frugal', messages: user(content), max_tokens: 8 }, poor);

      expect([costly.status, twice.status, cheap.status]).toEqual([402, 402, 200]);
    });
  });

  describe('is not free through hanging up', () => {
    const PROMPT = 'a long history of a small town. '.repeat(10_000);

    const hangUpAfter = async (body: object, until: () => Promise<void> | void): Promise<void> => {
      const abort = new AbortController();
      const answer = fetch(`${url}${PATH}`, {
        method: 'POST',
        signal: abort.signal,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${caller.key}` },
        body: JSON.stringify({ model: 'words', stream: true, max_tokens: 8_000, ...body }),
      });
      answer.then((response) => response.body?.getReader().read()).catch(() => undefined);
      await until();
      abort.abort();
      await settled();
    };

    it('before the first word: what was sent is paid', async () => {
      vendor.next(() => undefined); // The vendor reads the prompt and does not answer yet.

      await hangUpAfter({ messages: user(PROMPT) }, () => expectEventually(() => vendor.asked.length === 1));

      expect(await paid()).toBeGreaterThanOrEqual(billFor(PROMPT));
      expect(await paid()).toBeLessThan(3 * billFor(PROMPT));
    });

    const WRITTEN = 'words and words '.repeat(300);

    it.each<[string, object]>([
      ['text', { content: WRITTEN }],
      ['thoughts', { reasoning_content: WRITTEN }],
      ['thoughts under another name', { reasoning: WRITTEN }],
      ['thoughts in detail', { reasoning_details: [{ type: 'reasoning.text', text: WRITTEN }] }],
      [
        'the call of a tool',
        {
          tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: WRITTEN } }],
        },
      ],
      ['a picture', { images: [{ type: 'image_url', image_url: { url: WRITTEN } }] }],
      ['sound', { audio: { data: WRITTEN } }],
      ['what nobody knows', { holograms: { of: [{ the: WRITTEN }] } }],
    ])('in the middle of %s: it is paid', async (_, delta) => {
      vendor.next((response) => {
        openStream(response).write(piece({ role: 'assistant', content: '' }) + piece(delta) + piece(delta));
      });
      let said = false;

      await hangUpAfter({ messages: user('hi') }, async () => {
        await expectEventually(() => vendor.asked.length === 1);
        await new Promise((resolve) => setTimeout(resolve, 300)); // The service has read it after this time.
        said = true;
      });

      expect(said).toBe(true);
      expect(await paid()).toBeGreaterThanOrEqual(billFor('hi', WRITTEN + WRITTEN));
    });

    it('while nobody was asked yet: nothing is paid', async () => {
      vendor.next((response) => response.destroy());
      const answer = await ask({ model: 'words', messages: user('hi') });

      expect(answer.status).toBe(503);
      expect(await paid()).toBe(0);
    });
  });

  it('a count that grows again after a first one is paid', async () => {
    vendor.next((response) => {
      openStream(response).write(usage(10, 0) + piece({ content: 'word '.repeat(400) }, 'stop'));
      response.end(event('[DONE]'));
    });

    const answer = await ask({ model: 'words', messages: user('hi'), stream: true });

    expect(answer.body).toContain('[DONE]');
    expect(await paid()).toBeGreaterThanOrEqual(billFor('', 'word '.repeat(400)));
  });

  describe('an image', () => {
    const fetched: string[] = [];
    const inner = createServer((request, response) => {
      fetched.push(request.url ?? '');
      response.end('secret');
    });

    beforeAll(async () => {
      inner.listen(0, '127.0.0.1');
      await once(inner, 'listening');
    });
    afterAll(() => inner.close());

    const at = (address: string) => user([{ type: 'image_url', image_url: { url: address } }]);

    it.each([
      'http://169.254.169.254/latest/meta-data/',
      'https://169.254.169.254/latest/meta-data/',
      'file:///etc/passwd',
      'ftp://example.com/a.png',
      'https://localhost/a.png',
      'https://[::ffff:10.0.0.1]/a.png',
      'gopher://x',
      'a.png',
    ])('at %s is fetched by nobody, the vendor included', async (address) => {
      const answer = await ask({ model: 'words', messages: at(address), max_tokens: 8 });

      // A text that is no address is a mistake in the body.
      const code = URL.canParse(address) ? 'MEDIA_UNREACHABLE' : 'INVALID_REQUEST';
      expect([answer.status, answer.body.error.code]).toEqual([400, code]);
      expect(answer.body.error.param).toBe('messages[0].content[0].image_url');
      expect(vendor.asked).toEqual([]);
      expect(await paid()).toBe(0);
    });

    it('is not fetched for a caller who could not pay', async () => {
      const poor = await KeyCaller.register(world, 10n);
      const { port } = inner.address() as AddressInfo;

      const answer = await ask({ model: 'words', messages: at(`http://127.0.0.1:${port}/x`) }, poor);

      expect(answer.status).toBe(402);
      expect(fetched).toEqual([]);
    });

    it('is refused when there are too many', async () => {
      const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };

      const answer = await ask({ model: 'words', messages: user(Array.from({ length: 101 }, () => image)) });

      expect([answer.status, answer.body.error.param]).toEqual([400, 'messages']);
    });

    it('that is none is no image, whatever it says of itself', async () => {
      const answer = await ask({
        model: 'words',
        messages: at(`data:image/png;base64,${Buffer.from('<svg/>').toString('base64')}`),
        max_tokens: 8,
      });

      expect(answer.status).toBe(400);
      expect(vendor.asked).toEqual([]);
    });
  });

  describe('words that may not be said', () => {
    const BAD = 'a naked child';

    it.each<[string, object, string]>([
      ['a message', { messages: [...user('hi'), ...user(BAD)] }, 'messages[1]'],
      ['a part', { messages: user([{ type: 'text', text: BAD }]) }, 'messages[0]'],
      [
        'the result of a tool',
        {
          messages: [...user('hi'), { role: 'tool', tool_call_id: 'a', content: BAD }],
        },
        'messages[1]',
      ],
      [
        'thoughts',
        {
          messages: [...user('hi'), { role: 'assistant', content: 'a', reasoning_content: BAD }],
        },
        'messages[1]',
      ],
      ['a name', { messages: [{ role: 'user', content: 'hi', name: BAD }] }, 'messages[0]'],
      [
        'the call of a tool',
        {
          messages: [
            {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: 'a', function: { name: 'f', arguments: BAD } }],
            },
          ],
        },
        'messages[0]',
      ],
      [
        'a tool',
        {
          messages: user('hi'),
          tools: [
            { type: 'function', function: { name: 'a' } },
            { type: 'function', function: { name: 'f', parameters: { properties: { [BAD]: {} } } } },
          ],
        },
        'tools[1]',
      ],
      [
        'a schema',
        {
          messages: user('hi'),
          response_format: { type: 'json_schema', json_schema: { schema: { title: BAD } } },
        },
        'response_format',
      ],
      [
        'a long text, at any place of it',
        {
          messages: user(`${'x'.repeat(16 * 1024 - 5)} ${BAD} ${'y'.repeat(50_000)}`),
        },
        'messages[0]',
      ],
    ])('are found in %s', async (_, body, param) => {
      const answer = await ask({ model: 'words', ...body });

      expect(answer.body.error).toMatchObject({ code: 'POLICY_BLOCKED', param });
      expect(vendor.asked).toEqual([]);
      expect(await paid()).toBe(0);
    });
  });

  describe('an answer of the vendor that nobody can use', () => {
    const json = (value: unknown) => {
      vendor.next((response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(value));
      });
    };

    const chat = () =>
      world.post('/v1/agent/chat', { model: 'words', messages: user('hi') }, { 'x-api-key': caller.key });

    it.each([[7], [null], [''], [{}], [[{ type: 'image' }]], [[7]]])('costs nothing: %j', async (content) => {
      json({ choices: [{ message: { content } }], usage: { prompt_tokens: 9, completion_tokens: 9 } });

      const answer = await chat();

      expect([answer.status, answer.headers['x-charge-state']]).toEqual([503, 'released']);
      const balance = await world.get('/v1/account', { cookie: caller.cookie });
      expect(balance.body.balanceMicro).toBe(FUNDS);
    });

    it('is read where it is in parts', async () => {
      json({ choices: [{ message: { content: [{ type: 'text', text: 'Hel' }, { text: 'lo' }] } }] });

      const answer = await chat();

      expect(answer.body.choices[0].message.content).toBe('Hello');
      expect(answer.headers['x-charge-state']).toBe('charged');
    });

    it.each([true, false])('costs nothing in the studio either, streamed: %s', async (stream) => {
      vendor.next((response) => {
        openStream(response).write(
          piece({ role: 'assistant', content: 7 }) + piece({}, 'stop') + usage(9, 0),
        );
        response.end(event('[DONE]'));
      });

      const answer = await ask({ model: 'words', messages: user('hi'), stream });

      expect(JSON.stringify(answer.body)).toContain('PROVIDER_UNAVAILABLE');
      expect(await paid()).toBe(0);
    });
  });
});
