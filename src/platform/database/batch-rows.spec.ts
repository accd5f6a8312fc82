import { ItemColumns } from './batch-rows';

describe('the columns of items', () => {
  const columns = new ItemColumns<{ readonly id: string; readonly price?: bigint }>({
    id: ['text', ({ id }) => id],
    price_micro: ['bigint', ({ price }) => price],
  });

  it('are a table with the index of each item', () => {
    expect(columns.table('d')).toBe(
      'unnest($1::text[], $2::bigint[]) with ordinality as d (id, price_micro, place)',
    );
    expect(columns.table('d', 3)).toContain('unnest($4::text[], $5::bigint[])');
  });

  it('have the values in the same order, also of no items', () => {
    expect(columns.valuesOf([{ id: 'a', price: 1n }, { id: 'b' }])).toEqual([
      ['a', 'b'],
      [1n, null],
    ]);
    expect(columns.valuesOf([])).toEqual([[], []]);
  });

  it('are also the row of one item', () => {
    expect(columns.row).toBe('$1::text as id, $2::bigint as price_micro');
    expect(columns.value('price_micro')).toBe('$2::bigint');
    expect(columns.rowOf({ id: 'a' })).toEqual(['a', undefined]);
  });
});
