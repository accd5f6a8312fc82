import { OutsideFailure } from '#kernel/outside-failure';
import { ServiceLog, createLog } from './log';

const recorded = (
  mode: 'production' | 'test' = 'production',
  secrets: readonly string[] = [],
  logLevel: 'info' | 'debug' = 'info',
) => {
  const lines: string[] = [];
  const pino = createLog(
    { mode, logLevel, secrets },
    { headers: [], secrets: [/(lp_)()[A-Za-z0-9]{20,}/g] },
    { write: (line: string) => void lines.push(line) },
  );
  const parsed = (): Record<string, unknown>[] =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log: new ServiceLog(pino), pino, lines, parsed };
};

describe('the log', () => {
  it('writes one JSON line per event, whatever a caller put into it', () => {
    const { log, lines, parsed } = recorded();

    log.warn('agent "x\n{\\"level\\":\\"error\\",\\"msg\\":\\"forged\\"}\u001b[2J', 'Http');

    expect(lines).toHaveLength(1);
    expect(lines[0]!.trimEnd()).not.toMatch(/[\n\r\u001b]/);
    expect(parsed()[0]).toMatchObject({ level: 'warn', context: 'Http' });
  });

  it('holds no secret of the settings, whatever it looks like and wherever it is', () => {
    const { log, lines } = recorded('production', ['pass"word (of) [ours]', 'x']);

    log.error({ err: new Error('x: pass"word (of) [ours]!'), deep: { it: ['pass"word (of) [ours]'] } }, 'x');

    expect(lines[0]).not.toContain('ours');
    expect(lines[0]).toContain('x: [redacted]!');
  });

  it('takes fields and a sentence', () => {
    const { log, parsed } = recorded();

    log.error({ err: new Error('no route'), requestId: 'req_1' }, 'A request failed.', 'ErrorFilter');

    expect(parsed()[0]).toMatchObject({
      level: 'error',
      context: 'ErrorFilter',
      requestId: 'req_1',
      msg: 'A request failed.',
      err: { type: 'Error', message: 'no route', stack: expect.stringContaining('log.spec') as string },
    });
  });

  it('takes a message with a stack, as Nest itself logs', () => {
    const { log, parsed } = recorded();
    const { stack } = new Error('boom');

    log.error('boom', stack, 'ExceptionsHandler');
    log.error('no stack', undefined, 'ExceptionsHandler');

    expect(parsed()[0]).toMatchObject({ msg: 'boom', context: 'ExceptionsHandler', stack });
    expect(parsed()[1]).toMatchObject({ msg: 'no stack', context: 'ExceptionsHandler' });
  });

  it('takes a bare error', () => {
    const { log, parsed } = recorded();

    log.error(new RangeError('too far'));

    expect(parsed()[0]).toMatchObject({ err: { type: 'RangeError', message: 'too far' } });
  });

  it('hides secrets that reach the logger directly, in texts, arguments and errors', () => {
    const { pino, lines } = recorded();
    const key = `lp_${'k'.repeat(64)}`;

    pino.error(new Error(key));
    pino.info(`used ${key}`);
    pino.info({ headers: { cookie: 'lamppost_session=abc' }, deep: { prompt: 'a red fox' } }, 'hi %s', key);

    expect(lines).toHaveLength(3);
    expect(lines.join('')).not.toMatch(/kkkk|lamppost_session|red fox/);
  });

  it('says in words why another party could not be reached, with stacks at the level debug only', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' });
    const err = new Error('groq does not list its models', {
      cause: new OutsideFailure('it could not be reached', { cause: refused }),
    });
    const [info, debug] = [recorded(), recorded('production', [], 'debug')];

    for (const { log } of [info, debug]) log.warn({ err }, 'Asking groq fails.', 'Background');

    expect(info.parsed()[0]).toMatchObject({
      msg: 'Asking groq fails.',
      why: 'groq does not list its models: it could not be reached: nothing listens at the address (ECONNREFUSED)',
    });
    expect(info.lines[0]).not.toContain('stack');
    expect(debug.parsed()[0]).toMatchObject({
      err: { stack: expect.stringContaining('log.spec') as string },
    });
  });

  it('keeps the stack of a bug, even if the network has failed below it', () => {
    const { log, parsed } = recorded();
    const cause = Object.assign(new Error('away'), { code: 'ECONNRESET' });

    log.error({ err: new Error('a bug', { cause }) }, 'A request failed.');
    log.error({ err: new OutsideFailure('it answered 401') }, 'A provider refuses our key.');
    log.warn({ err: new Error('another bug') }, 'A task failed.');

    expect(parsed()).toMatchObject([
      { err: { stack: expect.any(String) as string } },
      { why: 'it answered 401' },
      { err: { message: 'another bug', stack: expect.any(String) as string } },
    ]);
  });

  it('stays silent below its level', () => {
    const { log, lines } = recorded();

    log.debug('detail', 'Part');
    log.verbose('more detail', 'Part');

    expect(lines).toHaveLength(0);
  });
});
