import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import sharp from 'sharp';

import { AgentStage } from './agent-stage';
import { CALL_MICRO, DONE_MICRO, PROGRAMS, SIGNATURE, inTurn } from './said';

const CONTENT = 'A lamp in the street.';

const refusal = (json: object) => ({ says: { status: 400, json } });

const TOO_LONG_OPENAI = refusal({
  error: {
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
    type: 'invalid_request_error',
    param: 'input',
    code: 'context_length_exceeded',
  },
});

/** How each maker refuses a conversation that is too long. */
const TOO_LONG = {
  anthropic: refusal({
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
  }),
  openai: TOO_LONG_OPENAI,
  open: TOO_LONG_OPENAI,
  google: refusal({
    error: {
      code: 400,
      message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      status: 'INVALID_ARGUMENT',
    },
  }),
};

/** Programs that people run all day, unchanged, with the service in place of their maker. */
describe.each(PROGRAMS)('%s', (_, program, maker, model) => {
  let stage: AgentStage;

  beforeAll(async () => {
    stage = await AgentStage.start();
  });
  beforeEach(() => stage.newCaller());
  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  it('writes a file, and the maker of its model gets all that it sends', async () => {
    const place = stage.place(model);
    const file = join(place.folder, 'lamp.txt');
    const fake = stage.makers[maker];
    fake.says = inTurn([program.write(file, CONTENT)]);
    const { code, out } = await stage.run(program, place, `Write "${CONTENT}" into lamp.txt.`);

    expect([code, out]).toEqual([0, expect.stringContaining('All done.')]);
    expect(existsSync(file) && readFileSync(file, 'utf8')).toBe(CONTENT);
    expect(stage.recorder.failed).toEqual([]);
    expect(fake.refused).toEqual([]);
    const [sent, got] = [stage.recorder.calls.at(-1)!.body, fake.bodies.at(-1)!];
    for (const field of program.kept) expect([field, got[field]]).toEqual([field, sent[field]]);
    expect(got['tools']).toEqual(
      (sent['tools'] as { type?: string }[]).filter(({ type }) => type !== 'web_search'),
    );
    expect(JSON.stringify(got).includes(SIGNATURE)).toBe(program.signs);
    expect(await stage.spent()).toBe(CALL_MICRO + (fake.bodies.length - 1) * DONE_MICRO);
  });

  it('shows a picture to its model', async () => {
    const place = stage.place(model);
    const file = join(place.folder, 'lamp.png');
    await sharp({ create: { width: 40, height: 30, channels: 3, background: '#fd0' } }).toFile(file);
    const fake = stage.makers[maker];
    if (program.look !== undefined) fake.says = inTurn([program.look(file)]);
    const { code, out } = await stage.run(program, place, 'Look at @lamp.png.');

    expect([code, out]).toEqual([0, expect.any(String)]);
    expect(stage.recorder.failed).toEqual([]);
    expect(JSON.stringify(fake.bodies.at(-1)).includes('image/png')).toBe(true);
  });

  it('learns that the conversation is too long for its model, and pays nothing', async () => {
    const fake = stage.makers[maker];
    fake.failNext('chat', ...Array.from({ length: 40 }, () => TOO_LONG[maker]));
    const { out } = await stage.run(program, stage.place(model), 'Say hello.');

    expect(out).toMatch(/too long|context window|ran out of room/i);
    expect(new Set(stage.recorder.calls.map(({ status }) => status))).toEqual(new Set([400]));
    expect(stage.recorder.calls.length).toBeLessThan(6);
    expect(await stage.spent()).toBe(0);
  });

  it('says what is missing if the balance is empty', async () => {
    await stage.newCaller(0);
    const { out } = await stage.run(program, stage.place(model), 'Say hello.');

    expect(out).toContain('The balance is $0.000000');
    expect(out).toContain('/account/billing');
    expect(stage.recorder.failed.length).toBeLessThanOrEqual(program.triesPaid);
    expect(await stage.spent()).toBe(0);
  });
});
