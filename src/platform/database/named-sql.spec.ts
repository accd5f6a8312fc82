import { named } from './named-sql';

describe('a statement with named values', () => {
  it('numbers each name once, in the order of the text', () => {
    const statement = named(`update key set name = :name where id = :id or :id is null`);

    expect(statement({ id: 'a', name: undefined })).toEqual([
      'update key set name = $1 where id = $2 or $2 is null',
      [undefined, 'a'],
    ]);
  });

  it('leaves casts, slices and texts as they are', () => {
    const sql = `select now()::date, list[1:2], to_char(now(), 'HH24:MI'), 'credits:' || :id::text`;

    expect(named(sql)({ id: 'a' })[0]).toBe(sql.replace(':id::', '$1::'));
  });

  it('needs exactly its values', () => {
    const statement = named('select :id, :name');

    expect(() => statement({ id: 'a' })).toThrow('The statement has the values id, name.');
    expect(() => statement({ id: 'a', nmae: 'b' })).toThrow('The statement needs the value name.');
    expect(() => statement({ id: 'a', name: 'b', more: 'c' })).toThrow('The statement has the values');
  });

  it('has no numbered value beside them', () => {
    expect(() => named('select :id, $1')).toThrow('not both');
  });
});
