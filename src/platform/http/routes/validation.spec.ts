import 'reflect-metadata';

import { Type } from 'class-transformer';
import { ArrayMaxSize, IsString, Matches, ValidateNested } from 'class-validator';

import { prepareCheck, validateAs, validateWhole } from './validation';

class Leaf {
  @IsString() readonly word!: string;
}

class Tagged {
  @IsString({ each: true, message: 'Tags are words.' })
  @ArrayMaxSize(2, { message: 'Two tags.' })
  readonly tags!: readonly string[];
}

class Listed {
  @IsString({ each: true, message: 'Tags are words.' })
  readonly tags!: readonly string[];
}

class Holder {
  @ValidateNested({ message: 'A leaf.' })
  @Type(() => Leaf)
  readonly leaf!: Leaf;
}

describe('a decorator with its own message', () => {
  it.each([
    [Listed, { tags: 'up' }, 'tags must be of type array.'],
    [Listed, { tags: [1] }, 'Tags are words.'],
    [Tagged, { tags: ['a', 'b', 'c'] }, 'Two tags.'],
    [Holder, {}, 'leaf is required.'],
    [Holder, { leaf: null }, 'leaf must be of type object.'],
  ])('permits nothing that its schema refuses: %p %j', async (type, body, message) => {
    await expect(validateWhole<object>(type, body)).rejects.toThrow(message);
  });

  it.each([
    [Listed, { tags: [1] }],
    [Tagged, { tags: ['a', 'b', 'c'] }],
    [Listed, {}],
  ])('is checked by the schema where class-validator does not run: %p %j', (type, body) => {
    expect(() => validateAs<object>(type, body)).toThrow(/^tags/);
  });
});

it('names a class without a valid schema', () => {
  class Odd {
    @Matches(/[\w-.]/) readonly name!: string;
  }

  expect(() => prepareCheck(Odd)).toThrow(/^The decorators of Odd make no valid schema: SyntaxError: /);
});
