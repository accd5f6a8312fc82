import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expectEventually } from '../support/eventually';
import type { Said } from '../support/fake-text-server';
import { AgentStage } from './agent-stage';
import { CALL_MICRO, DONE, DONE_MICRO, PROGRAMS, callsOf, inTurn, offers } from './said';

const TURNS = 40;

/** Gemini CLI asks after 30 turns whether they lead anywhere. It wants JSON. */
const NO_LOOP: Said = {
  ...DONE,
  texts: [JSON.stringify({ unproductive_state_analysis: 'no', unproductive_state_confidence: 0 })],
};

/** A small PDF file with one page and no text. */
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`;

/** The programs in a day of work, beyond a first call. */
describe.each(PROGRAMS)('a day of %s', (_, program, maker, model) => {
  let stage: AgentStage;

  beforeAll(async () => {
    stage = await AgentStage.start();
  });
  beforeEach(() => stage.newCaller());
  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  const itIf = (can: boolean) => (can ? it : it.skip);
  const text = (value: unknown): string => JSON.stringify(value);

  it(`has ${TURNS} turns with two tools at a time, and each is paid once`, async () => {
    const place = stage.place(model);
    const fake = stage.makers[maker];
    const fileOf = (turn: number, side: string): string => join(place.folder, `${side}-${turn}.txt`);
    const turns = Array.from({ length: TURNS }, (_each, turn) =>
      ['left', 'right'].map((side) => program.write(fileOf(turn, side), `${side} ${turn}`)),
    );
    const says = inTurn(...turns);
    fake.says = (body) => (text(body).includes('responseJsonSchema') ? NO_LOOP : says(body));
    const { code, out } = await stage.run(program, place, 'Write many files.');

    expect([code, out]).toEqual([0, expect.stringContaining('All done.')]);
    expect(stage.recorder.failed).toEqual([]);
    expect(fake.refused).toEqual([]);
    for (let turn = 0; turn < TURNS; turn += 1)
      for (const side of ['left', 'right'])
        expect(existsSync(fileOf(turn, side)) && readFileSync(fileOf(turn, side), 'utf8')).toBe(
          `${side} ${turn}`,
        );
    const last = text(fake.bodies.findLast((body) => offers(body, turns[0]![0]!)));
    const lost = turns.flatMap((_each, turn) => (last.includes(`right ${turn}`) ? [] : [turn]));
    expect(lost).toEqual([]);
    expect(await stage.spent()).toBe(TURNS * CALL_MICRO + (fake.bodies.length - TURNS) * DONE_MICRO);
  });

  it('goes on with a session that was killed in the middle of an answer', async () => {
    const place = stage.place(model);
    const fake = stage.makers[maker];
    const file = join(place.folder, 'lamp.txt');
    const tool = program.write(file, 'a lamp');
    const ended = new AbortController();
    let isWritten = false;
    const silent: Said = {
      ...DONE,
      texts: ['I', ' think', ' of', ' lamps'],
      after: { events: 3, comes: 'silence' },
    };
    fake.says = (body) => {
      if (!offers(body, tool)) return DONE;
      if (isWritten) {
        setTimeout(() => ended.abort(), 500);
        return silent;
      }
      isWritten = true;
      return callsOf(tool);
    };
    await stage.run(program, place, 'Write a file about a lamp.', ended.signal);
    expect(existsSync(file)).toBe(true);
    expect(ended.signal.aborted).toBe(true);
    fake.says = () => DONE;
    const { code, out } = await stage.resume(program, place, 'Go on.');

    expect([code, out]).toEqual([0, expect.stringContaining('All done.')]);
    expect(fake.refused).toEqual([]);
    const last = text(fake.bodies.findLast((body) => offers(body, tool)));
    const parts = ['Write a file about a lamp.', 'a lamp', 'Go on.'];
    expect(parts.filter((part) => !last.includes(part))).toEqual([]);
    await expectEventually(async () => {
      const held = await stage.world.db.rows("select from charge where state in ('held', 'settling')");
      return held.length === 0;
    });
  });

  itIf(program.delegate !== undefined)('gives work to an agent of its own', async () => {
    const place = stage.place(model);
    const fake = stage.makers[maker];
    const file = join(place.folder, 'helper.txt');
    const [delegate, write] = [
      program.delegate!('Write helper.txt now.'),
      program.write(file, 'by a helper'),
    ];
    let isDelegated = false;
    let isWritten = false;
    fake.says = (body) => {
      const isHelper = text(body).includes('Write helper.txt now.');
      if (!isDelegated && offers(body, delegate)) {
        isDelegated = true;
        return callsOf(delegate);
      }
      if (isHelper && !isWritten && offers(body, write)) {
        isWritten = true;
        return callsOf(write);
      }
      return DONE;
    };
    const { code, out } = await stage.run(program, place, 'Let a helper write.');

    expect([code, out]).toEqual([0, expect.stringContaining('All done.')]);
    expect(existsSync(file)).toBe(true);
    expect(stage.recorder.failed).toEqual([]);
    expect(await stage.spent()).toBe(2 * CALL_MICRO + (fake.bodies.length - 2) * DONE_MICRO);
  });

  itIf(program.readsPdf)('sends a PDF file', async () => {
    const place = stage.place(model);
    const file = join(place.folder, 'lamp.pdf');
    writeFileSync(file, PDF);
    const fake = stage.makers[maker];
    if (program.look !== undefined) fake.says = inTurn([program.look(file)]);
    const { code, out } = await stage.run(program, place, 'Read @lamp.pdf.');

    expect([code, out]).toEqual([0, expect.any(String)]);
    expect(stage.recorder.failed).toEqual([]);
    expect(fake.refused).toEqual([]);
    const sent = text(fake.bodies);
    expect(sent.includes('application/pdf')).toBe(true);
    expect(sent.includes(Buffer.from(PDF).toString('base64').slice(0, 40))).toBe(true);
  });

  itIf(program.full !== undefined)(
    'shortens its conversation before the context of its model is full',
    async () => {
      const place = stage.place(model);
      const fake = stage.makers[maker];
      const tool = program.write(join(place.folder, 'long.txt'), 'long');
      let calls = 0;
      fake.says = (body) => {
        if (!offers(body, tool)) return DONE;
        calls += 1;
        return calls < 3 ? { ...callsOf(tool), counts: { read: program.full, written: 30 } } : DONE;
      };
      const { code, out } = await stage.run(program, place, 'Work for a long time.');

      expect([code, out]).toEqual([0, expect.stringContaining('All done.')]);
      expect(stage.recorder.failed).toEqual([]);
      expect(fake.refused).toEqual([]);
      expect(fake.bodies.some((body) => text(body).includes('summary'))).toBe(true);
    },
  );
});
