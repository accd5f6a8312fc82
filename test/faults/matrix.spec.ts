import { onlyNightly } from './matrix';

it('each fault plays at one step at least, also by day', () => {
  expect(onlyNightly()).toEqual([]);
});
