import './team/in-the-list';

import { readFileSync } from 'node:fs';

import { Logger } from '@nestjs/common';

import { spanIdsOf } from '#money/billing/tracing/charge-traces';
import { readSettings } from '../../src/settings';
import { unknownSettings } from '../../src/unknown-settings';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { FakeCollector } from '../support/fake-collector';
import { captureLog } from '../support/log-lines';
import { World } from '../support/world';
import { walkThroughText } from '../support/walk-throughs';
import { InkIndicator } from './team/ink.indicator';

describe('what a NestJS team operates', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start({
      TEAM_NOTES_MAX: '7',
      TEAM_SHARES: 'false',
      TEAM_TOKEN: 'of-the-team-alone',
    });
  });

  afterAll(() => world.stop());

  it('finds its own counters of prom-client at /metrics', async () => {
    await world.post('/v1/team/observed/counted', {});

    const { body: text } = await world.get('/metrics');

    expect(text).toContain('# TYPE team_notes_total counter\nteam_notes_total{colour="red"} 1\n');
    expect(text).toContain('# TYPE lamppost_charges_total counter');
  });

  it('reads the id of the request in each line that its Logger writes, in calls side by side', async () => {
    const log = captureLog(world);

    const answers = await Promise.all([1, 2].map(() => world.post('/v1/team/observed/logged', {})));

    const lines = log.lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ context }) => context === 'TeamObservedController');
    expect(lines).toHaveLength(2);
    expect(new Set(lines.map(({ requestId }) => requestId))).toEqual(
      new Set(answers.map(({ headers }) => headers['x-request-id'])),
    );
  });

  it('has its health part in the documentation, word for word', () => {
    const source = readFileSync('test/nest/team/ink.indicator.ts', 'utf8');

    expect(walkThroughText()).toContain(source);
  });

  it('finds its own indicator of terminus in /health/ready', async () => {
    const { status, body } = await world.get('/health/ready');
    expect([status, body.parts.ink]).toEqual([200, 'ok']);

    world.app.get(InkIndicator, { strict: false }).millilitres = 0;

    await expectEventually(async () => (await world.get('/health/ready')).body.parts.ink === 'degraded');
    const degraded = await world.get('/health/ready');
    expect([degraded.status, degraded.body.status]).toEqual([200, 'degraded']);
    expect(JSON.stringify(degraded.body)).not.toContain('used up');
  });

  it('reads its own settings, and those of the service', async () => {
    const { body } = await world.get('/v1/team/observed/settings');

    expect(body).toEqual({ notesMax: 7, shares: false, role: 'all' });
  });

  it('finds no secret of its own settings in the log', () => {
    const log = captureLog(world);

    new Logger('Team').log('The token is of-the-team-alone.');

    expect(log.lines.join('')).toContain('The token is [redacted].');
  });

  it('gets its wrong settings listed with all others, before anything starts', () => {
    const variables = { PORT: 'web', TEAM_NOTES_MAX: 'many', TEAM_SHARES: 'perhaps' };

    expect(() => readSettings(variables)).toThrow(
      expect.objectContaining({
        problems: expect.arrayContaining([
          'PORT must be a whole number',
          'TEAM_SHARES must be true or false',
          'TEAM_NOTES_MAX must be an integer number',
        ]),
      }),
    );
  });

  it('gets an error for a slip in the name of its settings', () => {
    expect(unknownSettings({ TEAM_NOTES_MXA: '7' })).toEqual([
      'TEAM_NOTES_MXA is no setting of this version; did you mean TEAM_NOTES_MAX?',
    ]);
  });

  it('may start spans where nobody traces', async () => {
    expect((await world.post('/v1/team/observed/traced', {})).body).toEqual({ traced: true });
  });
});

describe('the spans of a NestJS team', () => {
  let collector: FakeCollector;
  let world: World;

  beforeAll(async () => {
    collector = await new FakeCollector().start();
    world = await World.start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin });
  });

  afterAll(async () => {
    await world.stop();
    await collector.stop();
  });

  const spanNamed = async (name: string) => {
    await expectEventually(() => collector.spans.some((span) => span.name === name));
    return collector.spans.find((span) => span.name === name)!;
  };

  it('are inside the trace of the call', async () => {
    await world.post('/v1/team/observed/traced', {});

    const call = await spanNamed('POST /v1/team/observed/traced');
    const note = await spanNamed('make a note');
    const fold = await spanNamed('fold the note');
    expect([note.traceId, note.parentSpanId]).toEqual([call.traceId, call.spanId]);
    expect([fold.traceId, fold.parentSpanId]).toEqual([call.traceId, note.spanId]);
  });

  it('are inside the trace of the charge on a paid route', async () => {
    const caller = await KeyCaller.register(world, 1_000_000n);

    const { headers } = await world.post('/v1/team/traced', { name: 'a note' }, { 'x-api-key': caller.key });

    const note = await spanNamed('write the note');
    const { traceId, spanId } = spanIdsOf(headers['x-charge-id']!);
    const call = await spanNamed('POST /v1/team/traced');
    expect([call.traceId, call.spanId]).toEqual([traceId, spanId]);
    expect([note.traceId, note.parentSpanId]).toEqual([traceId, spanId]);
    await world.expectBooksToBalance();
  });
});
