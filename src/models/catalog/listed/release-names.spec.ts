import { baseOf } from './release-names';

describe('a name of a maker', () => {
  it.each([
    ['a-20240806', 'a'],
    ['a-2024-08-06', 'a'],
    ['a-09-2025', 'a'],
    ['a-latest', 'a'],
    ['a-2407', 'a'],
    ['a-0613', 'a'],
    ['a-0125', 'a'],
    ['a-002', 'a'],
    ['a-8086', 'a-8086'],
    ['a-6502', 'a-6502'],
    ['a-1000', 'a-1000'],
    ['a-1140', 'a-1140'],
    ['a-1980', 'a-1980'],
    ['a-2048', 'a-2048'],
  ])('%s is a release of %s', (id, base) => {
    expect(baseOf({ id })).toBe(base);
    expect(baseOf({ id: 'other', makersId: id })).toBe(base);
  });
});
