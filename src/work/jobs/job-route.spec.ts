import type { PaidOptions } from '#money/billing/calls/paid-call';
import { requireJobRoute } from './job-route';

const route = { operation: { name: 'strips', sold: 'One strip.' } } as PaidOptions;

it('refuses to make a job for a route that could not answer from it', () => {
  expect(() => requireJobRoute({ route })).toThrow('What strips makes is a job');
  expect(() => requireJobRoute({ route: { ...route, answer: 'from-job' } })).not.toThrow();
});
