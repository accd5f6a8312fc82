import { onlyNightly } from './matrix';

it('npm test plays each fault at one step at least', () => {
  expect(onlyNightly()).toEqual([]);
});
