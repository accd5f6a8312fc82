import { Numbers, Times } from './series';

describe('a family of numbers', () => {
  it('has one for each set of labels, as Prometheus writes them', () => {
    const numbers = new Numbers('counter', 'calls_total', 'Calls.', 'route', 'status');

    numbers.add(1, '/a', 200);
    numbers.add(2, '/a', '200');
    numbers.add(1, 'say "hi"\\\n', 404);

    expect(numbers.text().split('\n')).toEqual([
      '# HELP calls_total Calls.',
      '# TYPE calls_total counter',
      'calls_total{route="/a",status="200"} 3',
      'calls_total{route="say \\"hi\\"\\\\\\n",status="404"} 1',
    ]);
  });

  it('is there from the beginning where it has no labels', () => {
    const numbers = new Numbers('gauge', 'room', 'Room.');
    expect(numbers.text()).toContain('\nroom 0');

    numbers.set(Infinity);
    expect(numbers.text()).toContain('\nroom +Inf');
  });

  it('forgets what it is told to', () => {
    const numbers = new Numbers('gauge', 'room', 'Room.', 'of');
    numbers.set(3, 'one');
    numbers.reset();
    numbers.set(4, 'other');

    expect(numbers.text()).not.toContain('one');
    expect(numbers.text()).toContain('room{of="other"} 4');
  });
});

describe('a family of times', () => {
  it('counts what took no longer than each bound, the bound itself included', () => {
    const times = new Times([0.1, 1], 'call_seconds', 'Calls.', 'of');

    for (const seconds of [0.05, 0.1, 0.5, 7]) times.observe(seconds, 'one');

    expect(times.text().split('\n').slice(1)).toEqual([
      '# TYPE call_seconds histogram',
      'call_seconds_bucket{le="0.1",of="one"} 2',
      'call_seconds_bucket{le="1",of="one"} 3',
      'call_seconds_bucket{le="+Inf",of="one"} 4',
      'call_seconds_sum{of="one"} 7.65',
      'call_seconds_count{of="one"} 4',
    ]);
  });
});
