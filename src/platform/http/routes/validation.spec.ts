import 'reflect-metadata';

import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsDefined,
  IsEmail,
  IsNotEmpty,
  IsString,
  Matches,
  MaxLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';

import { InvalidRequest } from '#kernel/app-error';
import { DtoPipe, faultsOf, prepareCheck, validateAs, validateWhole } from './validation';

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

class Short {
  @IsString({ message: 'm' }) @MaxLength(3) readonly word!: string;
}

class Shorter {
  @IsString()
  @MaxLength(3, { message: '$property has $value, and at most $constraint1 characters are allowed.' })
  readonly word!: string;
}

class Within {
  @ValidateNested({ each: true }) @Type(() => Short) readonly parts!: readonly Short[];
}

class Needed {
  @IsNotEmpty({ message: 'Give a name.' }) @IsString() readonly name!: string;
}

class Mailed {
  @IsDefined({ message: 'Give an address.' })
  @IsEmail({}, { message: 'Give a mail address.' })
  readonly mail!: string;
}

class Inside {
  @ValidateNested({ each: true, message: 'Parts are objects.' })
  @Type(() => Short)
  readonly parts!: readonly Short[];
}

class Counted {
  @MaxLength(3, { message: ({ object }) => (object as Counted).limit() })
  readonly word!: string;

  limit(): string {
    return `At most 3, and not ${this.word.length}.`;
  }
}

class Payment {
  @IsString() readonly kind!: string;
  @ValidateIf(({ kind }: Payment) => kind === 'card')
  @IsString({ message: 'Give a card.' })
  readonly card?: unknown;
}

class Order {
  @ValidateNested() @Type(() => Payment) readonly payment!: Payment;
}

class Defaulted extends Short {
  @IsString() readonly other: string = 'a';
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
    [Holder, { leaf: null }, 'A leaf.'],
  ])('permits nothing that its schema refuses: %p %j', async (type, body, message) => {
    await expect(validateWhole<object>(type, body)).rejects.toThrow(message);
  });

  it.each<[new () => object, object, string]>([
    [Listed, { tags: [1] }, 'Tags are words.'],
    [Listed, { tags: 'up' }, 'tags must be of type array.'],
    [Listed, {}, 'Tags are words.'],
    [Tagged, { tags: ['a', 'b', 'c'] }, 'Two tags.'],
    [Tagged, { tags: ['a', 2] }, 'Tags are words.'],
    [Holder, { leaf: 5 }, 'A leaf.'],
    [Holder, { leaf: {} }, 'leaf.word is required.'],
    [Short, { word: 5 }, 'm'],
    [Short, { word: 'long' }, 'word must be at most 3 characters long.'],
    [Short, {}, 'm'],
    [Shorter, { word: 5 }, 'word must be of type string.'],
    [Shorter, { word: 'long' }, 'word has long, and at most 3 characters are allowed.'],
    [Within, { parts: [{ word: 'a' }, { word: 5 }] }, 'm'],
    [Needed, {}, 'Give a name.'],
    [Needed, { name: 5 }, 'name must be of type string.'],
    [Mailed, {}, 'Give a mail address.'],
    [Counted, { word: 'long' }, 'At most 3, and not 4.'],
    [Short, { word: 5, constructor: null }, 'm'],
    [Within, { parts: [{ word: 5, constructor: null }] }, 'm'],
    [Inside, { parts: [5, { word: 'a', constructor: null }] }, 'parts[0] must be of type object.'],
  ])('is sent to the caller, with all ways to check a value: %p %j', async (type, body, message) => {
    expect(() => validateAs(type, body)).toThrow(new InvalidRequest(message));
    await expect(validateWhole(type, body)).rejects.toThrow(new InvalidRequest(message));
    await expect(
      new DtoPipe().transform(body, { type: 'body', metatype: type }) as Promise<unknown>,
    ).rejects.toThrow(new InvalidRequest(message));
    expect(faultsOf(type, body)).toContain(message);
  });

  it.each<[new () => object, (payment: object) => object]>([
    [Payment, (payment) => payment],
    [Order, (payment) => ({ payment })],
  ])('is sent only if the condition of its field holds: %p', async (type, bodyOf) => {
    const free = bodyOf({ kind: 'free', card: 5 });

    await expect(validateWhole(type, free)).resolves.toBe(free);
    await expect(validateWhole(type, bodyOf({ kind: 'free' }))).resolves.toBeDefined();
    await expect(validateWhole(type, bodyOf({ kind: 'card', card: 5 }))).rejects.toThrow('Give a card.');
    await expect(validateWhole(type, bodyOf({ kind: 'card' }))).rejects.toThrow('Give a card.');
  });

  it('is sent for a query', async () => {
    const query = { type: 'query', metatype: Short } as const;

    await expect(new DtoPipe().transform({}, query) as Promise<unknown>).rejects.toThrow(
      new InvalidRequest('m'),
    );
  });

  it('is sent for a class with default values, also if another rule is broken too', async () => {
    await expect(validateWhole(Defaulted, { word: 5 })).rejects.toThrow(new InvalidRequest('m'));
  });

  it('names the field, and keeps what may repair it', () => {
    try {
      validateAs(Short, { word: 5 });
      throw new Error('It is valid.');
    } catch (error) {
      expect(error).toMatchObject({ extras: { param: 'word', remedies: [{ param: 'word', value: '5' }] } });
    }
  });
});

it('names a class without a valid schema', () => {
  class Odd {
    @Matches(/[\w-.]/) readonly name!: string;
  }

  expect(() => prepareCheck(Odd)).toThrow(/^The decorators of Odd make no valid schema: SyntaxError: /);
});
