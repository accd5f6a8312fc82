import { readResponses } from '#models/conversation/responses-body';
import { InvalidRequest } from '#kernel/app-error';
import { CompatibleStage, PIXEL } from '../compatible/compatible-stage';

const BLOCKED = 'a sexual text about a 12 year old child';
const IMAGE = `data:image/png;base64,${PIXEL}`;
const PDF = 'data:application/pdf;base64,JVBERi0=';
const INNER = 'http://10.0.0.1/';

const part = (sent: object): object => ({ input: [{ role: 'user', content: [sent] }] });
const tool = (sent: object): object => ({ input: 'Hi', tools: [sent] });

/** The items and tools of Responses, which their maker gets as the caller sent them. */
describe('an item of Responses', () => {
  let stage: CompatibleStage;

  beforeAll(async () => {
    stage = await CompatibleStage.start();
    await stage.newCaller();
  });

  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  const post = (body: object) =>
    stage.world.post('/v1/responses', { model: 'other', ...body }, { 'x-api-key': stage.caller.key });

  it.each<[string, object]>([
    ['a field of a text', part({ type: 'input_text', text: 'x', note: BLOCKED })],
    ['an annotation', part({ type: 'output_text', text: 'x', annotations: [{ title: BLOCKED }] })],
    ['the name of a file', part({ type: 'input_file', file_data: PDF, filename: BLOCKED })],
    ['a field of an image', part({ type: 'input_image', image_url: IMAGE, alt: BLOCKED })],
    ['a field of a message', { input: [{ role: 'user', content: 'x', name: BLOCKED }] }],
    ['open thoughts', { input: [{ type: 'reasoning', content: [{ text: BLOCKED }] }] }],
    ['a search', { input: [{ type: 'web_search_call', action: { query: BLOCKED } }] }],
    [
      'a field of a result',
      { input: [{ type: 'function_call_output', call_id: 'a', output: 'x', note: BLOCKED }] },
    ],
    ['a field of a tool', tool({ type: 'function', name: 'a', examples: [BLOCKED] })],
    [
      'the description of a namespace',
      tool({
        type: 'namespace',
        name: 'n',
        description: BLOCKED,
        tools: [{ type: 'function', name: 'a' }],
      }),
    ],
    [
      'a tool that a later one replaces',
      {
        input: 'Hi',
        tools: [
          { type: 'function', name: 'a', description: BLOCKED },
          { type: 'function', name: 'a' },
        ],
      },
    ],
  ])('brings no unscreened words in %s', async (_name, body) => {
    const { status, body: answer } = await post(body);

    expect([status, answer.error?.code]).toEqual([400, 'POLICY_BLOCKED']);
  });

  it.each<[string, object]>([
    ['a stored file beside an image', part({ type: 'input_image', image_url: IMAGE, file_id: 'file-1' })],
    ['a stored file beside a file', part({ type: 'input_file', file_data: PDF, file_id: 'file-1' })],
    ['an address beside a file', part({ type: 'input_file', file_data: PDF, file_url: INNER })],
    ['an address as a file', part({ type: 'input_file', file_data: INNER })],
    ['an address beside a text', part({ type: 'input_text', text: 'x', image_url: INNER })],
    [
      'a search of the maker in a namespace',
      tool({ type: 'namespace', name: 'n', tools: [{ type: 'web_search' }] }),
    ],
    ['a namespace in a namespace', tool({ type: 'namespace', name: 'n', tools: [{ type: 'namespace' }] })],
    [
      'a search of the maker in a result',
      { input: [{ type: 'tool_search_output', call_id: 'a', tools: [{ type: 'web_search' }] }] },
    ],
  ])('brings nothing that only the vendor can read: %s', async (_name, body) => {
    expect((await post(body)).status).toBe(400);
    expect(stage.fakes.other.bodies).toEqual([]);
    // A model may refuse such a body for its own reasons, so the reader must refuse it too.
    expect(() => readResponses({ input: 'Hi', ...body })).toThrow(InvalidRequest);
  });

  it('is passed on without the searches of the maker', () => {
    const own = { type: 'function', name: 'a' };

    expect(readResponses({ input: 'Hi', tools: [{ type: 'web_search' }, own] }).sent['tools']).toEqual([own]);
    expect(readResponses({ input: 'Hi', tools: [{ type: 'web_search' }] }).sent).toEqual({ input: 'Hi' });
  });

  it('may have sources that are null, as typed clients send them', async () => {
    const image = { type: 'input_image', image_url: IMAGE, file_id: null };

    expect((await post(part(image))).status).toBe(200);
    stage.fakes.other.bodies.length = 0;
  });
});
