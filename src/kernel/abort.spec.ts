import { onAbort } from './abort';

describe('onAbort', () => {
  it('notifies all who share a signal, except those who unsubscribed', () => {
    const controller = new AbortController();
    const called: string[] = [];
    onAbort(controller.signal, () => called.push('first'));
    const undo = onAbort(controller.signal, () => called.push('second'));
    onAbort(controller.signal, () => called.push('third'));
    undo();
    controller.abort();
    expect(called).toEqual(['first', 'third']);
  });

  it('runs at once where the signal is aborted already', () => {
    const called: string[] = [];
    onAbort(AbortSignal.abort(), () => called.push('late'))();
    expect(called).toEqual(['late']);
  });

  it('notifies each once, also one who subscribes again during it', () => {
    const controller = new AbortController();
    let times = 0;
    const undo = onAbort(controller.signal, () => {
      times += 1;
      undo();
    });
    controller.abort();
    controller.abort();
    expect(times).toBe(1);
  });
});
