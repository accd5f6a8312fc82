import { Counter } from 'prom-client';

export const notesSold = new Counter({
  name: 'team_notes_total',
  help: 'Notes that the team has sold, by colour.',
  labelNames: ['colour'],
});
