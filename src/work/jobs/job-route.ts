import type { PaidCall } from '#money/billing/calls/paid-call';

/** A repeated call would otherwise find no answer. The start checks that such a route can find its jobs after a crash. */
export const requireJobRoute = ({ route: { answer, operation } }: Pick<PaidCall, 'route'>): void => {
  if (answer === 'from-job') return;
  throw new Error(`What ${operation.name} makes is a job, so its route needs answer: 'from-job'.`);
};
