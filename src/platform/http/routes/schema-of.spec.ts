import { IsIn, IsInt, IsString, Matches, Max, MinLength } from 'class-validator';

import { WholeField } from './fields';
import { type Constructor, expressesAll } from './schema-of';
import { validateAs, validateWhole } from './validation';

class TwoPatterns {
  @Matches(/^a/) @Matches(/b$/) @IsString() value!: string;
}

class TwoLengths {
  @MinLength(2) @MinLength(5) @IsString() value!: string;
}

class TwoLimits {
  @Max(9) @Max(3) @IsInt() value!: number;
}

class TwoLists {
  @IsIn(['a', 'b']) @IsIn(['a']) @IsString() value!: string;
}

class WholeThenNumber {
  @Max(9) @IsInt() value!: number;
}

class Field {
  @WholeField({ min: 1, max: 9 }) value!: number;
}

describe('two constraints of a field', () => {
  it.each<[Constructor, unknown]>([
    [TwoPatterns, 'ax'],
    [TwoPatterns, 'xb'],
    [TwoLengths, 'abc'],
    [TwoLimits, 5],
    [TwoLists, 'b'],
    [WholeThenNumber, 1.5],
  ])('both hold: %p refuses %p', async (type, value) => {
    await expect(validateWhole(type as new () => object, { value })).rejects.toThrow('value');
  });

  it('leave the check to the schema where none replaces the other', () => {
    expect([expressesAll(Field), expressesAll(TwoPatterns)]).toEqual([true, false]);
  });
});

describe('a rule with a message of its own', () => {
  class Named {
    @MinLength(3, { message: 'Please give a name.' }) @IsString() value!: string;
  }

  it('is checked by the schema, and sends its message', async () => {
    await expect(validateWhole(Named, { value: 'ab' })).rejects.toThrow('Please give a name.');
    expect(() => validateAs(Named, { value: 'ab' })).toThrow('Please give a name.');
    expect(validateAs(Named, { value: 'abc' })).toEqual({ value: 'abc' });
    expect(expressesAll(Named)).toBe(true);
  });
});
