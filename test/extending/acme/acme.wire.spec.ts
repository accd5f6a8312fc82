import { toProviderRef, toStatus, toWork } from './acme.wire';

const PICTURE = { model: 'painter', mode: 't2i', prompt: 'a lamp', ourId: 'job_1' } as const;

describe('the wire of Acme', () => {
  it('asks for the picture that was sold', () => {
    expect(toWork({ ...PICTURE, aspectRatio: '1:1' } as never)).toEqual({
      model: 'painter',
      prompt: 'a lamp',
      client_id: 'job_1',
    });
  });

  it('refuses a size that it does not make, so that the next route gets the call', () => {
    expect(() => toWork({ ...PICTURE, aspectRatio: '16:9' } as never)).toThrow('it does not make this size');
  });

  it('reads the id of the work, and takes an answer without one for an unknown outcome', () => {
    expect(toProviderRef({ id: 'w1' })).toBe('w1');
    expect(() => toProviderRef({})).toThrow(expect.objectContaining({ outcome: 'unknown' }));
  });

  it.each([
    [{ state: 'queued' }, 'running'],
    [{ state: 'a new state' }, 'running'],
    [{ state: 'failed' }, 'failed'],
    [{ state: 'done', url: 'https://acme.example/w1.png', cost_usd: '0.01' }, 'done'],
  ])('takes %j for %s', (answer, state) => {
    expect(toStatus(answer).state).toBe(state);
  });
});
