import { ServiceLog, createLog } from './log';

const recorded = (mode: 'production' | 'test' = 'production', secrets: readonly string[] = []) => {
  const lines: string[] = [];
  const pino = createLog(
    { mode, logLevel: 'info', secrets },
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

  it('stays silent below its level', () => {
    const { log, lines } = recorded();

    log.debug('detail', 'Part');
    log.verbose('more detail', 'Part');

    expect(lines).toHaveLength(0);
  });
});
