import { onAbort } from './abort';

describe('onAbort', () => {
  it('notifies all who share a signal, except those who unsubscribed', () => {
    const controller = new AbortController();
    const told: string[] = [];
    onAbort(controller.signal, () => told.push('first'));
    const undo = onAbort(controller.signal, () => told.push('second'));
    onAbort(controller.signal, () => told.push('third'));
    undo();
    controller.abort();
    expect(told).toEqual(['first', 'third']);
  });

  it('runs at once where the signal is aborted already', () => {
    const told: string[] = [];
    onAbort(AbortSignal.abort(), () => told.push('late'))();
    expect(told).toEqual(['late']);
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
