import { expectEnvelope } from '../support/envelope';
import { type Answer, World } from '../support/world';

const INVALID = { status: 400, code: 'INVALID_REQUEST', type: 'invalid_request_error' };
const BACKSLASH = '\\';

/** Known traps of this stack, each by name. Each must answer 400 with the reason. */
describe('a body that is JSON, but a trap', () => {
  let world: World;

  const quote = (body: string): Promise<Answer> => world.post('/v1/agent/quote', body);
  const chat = (fields: string): Promise<Answer> => quote(`{"modelId":"lumen-flash",${fields}}`);
  const video = (fields: string): Promise<Answer> => quote(`{"modelId":"torch-video",${fields}}`);

  const refuses = async (answer: Answer, message: string, param: string | null = null): Promise<void> => {
    expectEnvelope(answer, { ...INVALID, param });
    expect(answer.body.error.message).toBe(message);
    expect((await world.get('/health/live')).status).toBe(200);
  };

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it.each([
    ['of objects', '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)],
    ['of arrays', '['.repeat(10_000) + ']'.repeat(10_000)],
    [
      'in a field that nobody reads',
      `{"modelId":"ember-image","x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    ],
    ['that never closes', '{"x":['.repeat(10_000)],
  ])('nested 10,000 deep %s', async (_what, body) => {
    await refuses(await quote(body), 'The body is nested deeper than 32 levels.');
  });

  it('nested as deep as is allowed, which is none', async () => {
    const answer = await quote(`{"modelId":"ember-image","x":${'['.repeat(31)}${']'.repeat(31)}}`);

    expect(answer.status).toBe(200);
  });

  it.each(['0,', '[],', '{},', '"",', 'null,'])('of a hundred thousand values, each %s', async (item) => {
    const answer = await quote(`{"modelId":"lumen-flash","messages":[${item.repeat(100_001)}0]}`);

    expect(['PAYLOAD_TOO_LARGE', 'INVALID_REQUEST']).toContain(answer.body.error.code);
    expect([400, 413]).toContain(answer.status);
  });

  it('of a million elements', async () => {
    const answer = await quote(`{"modelId":"lumen-flash","messages":[${'0,'.repeat(999_999)}0]}`);

    expectEnvelope(answer, { status: 413, code: 'PAYLOAD_TOO_LARGE' });
  });

  it.each([
    ['[[]]', 'messages[0] must be of type object.', 'messages[0]'],
    ['[[{"content":"x"}]]', 'messages[0] must be of type object.', 'messages[0]'],
    ['[null]', 'messages[0] must be of type object.', 'messages[0]'],
    ['[{"content":["x"]}]', 'messages[0].content must be of type string.', 'messages[0].content'],
    ['[{}]', 'messages[0].content is required.', 'messages[0].content'],
    ['{"0":{"content":"x"},"length":1}', 'messages must be of type array.', 'messages'],
    ['{"content":"x"}', 'messages must be of type array.', 'messages'],
  ])('with messages that are no list of messages: %s', async (messages, message, param) => {
    await refuses(await chat(`"messages":${messages}`), message, param);
  });

  it('with more messages than are taken', async () => {
    const messages = `[${Array.from({ length: 51 }, () => '{"content":"x"}').join(',')}]`;

    await refuses(await chat(`"messages":${messages}`), 'messages must hold at most 50 items.', 'messages');
  });

  it.each([
    ['NUL', 'u0000'],
    ['an escape character', 'u001b[31m'],
    ['delete', 'u007f'],
    ['a high surrogate alone', 'ud83d'],
    ['a low surrogate alone', 'ude00 and more'],
    ['surrogates the wrong way round', 'ude00\\ud83d'],
  ])('with a text that holds %s', async (_what, escape) => {
    const text = `"${BACKSLASH}${escape}"`;
    const problem = 'must not hold control characters or broken Unicode.';

    await refuses(await chat(`"prompt":${text}`), `prompt ${problem}`, 'prompt');
    await refuses(
      await chat(`"messages":[{"content":"fine"},{"content":${text}}]`),
      `messages[1].content ${problem}`,
      'messages[1].content',
    );
    await refuses(await quote(`{"modelId":${text}}`), `modelId ${problem}`, 'modelId');
  });

  it('with line ends, tabs and an emoji, which are none', async () => {
    const answer = await chat('"prompt":"one\\r\\n\\ttwo 🦊 \\ud83e\\udd8a"');

    expect(answer.status).toBe(200);
  });

  it.each([
    ['-5', 'max_tokens must be at least 1.'],
    ['0', 'max_tokens must be at least 1.'],
    ['8193', 'max_tokens must be at most 8192.'],
    ['1.5', 'max_tokens must be a whole number.'],
    ['1e400', 'max_tokens must be a whole number.'],
    ['-1e400', 'max_tokens must be a whole number.'],
    ['9007199254740993', 'max_tokens must be at most 8192.'],
    [`1${'0'.repeat(300)}`, 'max_tokens must be at most 8192.'],
    ['"5"', 'max_tokens must be a whole number.'],
    ['true', 'max_tokens must be a whole number.'],
    ['null', 'max_tokens must be a whole number.'],
    ['[5]', 'max_tokens must be a whole number.'],
    ['{"valueOf":5}', 'max_tokens must be a whole number.'],
  ])('with max_tokens %s', async (value, message) => {
    await refuses(await chat(`"max_tokens":${value}`), message, 'max_tokens');
  });

  it.each([
    ['-5', 'duration must be at least 0.'],
    ['1e400', 'duration must be of type number.'],
    ['3601', 'duration must be at most 3600.'],
    ['"8"', 'duration must be of type number.'],
    ['-0', 'duration of torch-video must be one of 4, 6, 8. The nearest is 4.'],
    ['4.000001', 'duration of torch-video must be one of 4, 6, 8. The nearest is 4.'],
    ['5e-324', 'duration of torch-video must be one of 4, 6, 8. The nearest is 4.'],
  ])('with duration %s', async (value, message) => {
    await refuses(await video(`"duration":${value}`), message, 'duration');
  });

  it.each(['"false"', '"true"', '0', '1', '"0"', '[]', '{}', 'null', '""'])(
    'with audio %s, which is neither true nor false',
    async (value) => {
      await refuses(await video(`"audio":${value}`), 'audio must be of type boolean.', 'audio');
    },
  );

  it.each([
    ['{"modelId":"ember-image","modelId":"lumen-flash"}', 'modelId'],
    [`{"modelId":"ember-image","model${BACKSLASH}u0049d":"lumen-flash"}`, 'modelId'],
    ['{"modelId":"lumen-flash","messages":[{"content":"a","content":"b"}]}', 'content'],
    ['{"a":{"b":1},"b":2,"a":3}', 'a'],
  ])('that says one thing twice: %s', async (body, name) => {
    await refuses(await quote(body), `The body names ${name} twice; which one is meant?`, name);
  });

  it('that says the same thing in two places, which is no trap', async () => {
    const answer = await chat('"messages":[{"content":"a"},{"content":"b"}],"x":{"content":1,"modelId":2}');

    expect(answer.status).toBe(200);
  });

  it.each(['null', '1', '"x"', 'true', '[]', '[{"modelId":"ember-image"}]'])(
    'that is only %s',
    async (body) => {
      const answer = await quote(body);

      expectEnvelope(answer, { ...INVALID, param: answer.body.error.param });
    },
  );

  it.each([
    'quoteId',
    'priceMicro',
    'listPriceMicro',
    'account_id',
    'state',
    'private',
    'balanceMicro',
    'live',
  ])('that tries to set %s changes nothing', async (name) => {
    const plain = await quote('{"modelId":"ember-image"}');
    const with0 = await quote(`{"modelId":"ember-image","${name}":0}`);

    expect([with0.status, with0.body.priceMicro]).toEqual([200, plain.body.priceMicro]);
  });
});
