import { sampleOf } from './schema-sample';

describe('a sample of a schema', () => {
  it.each<[string, unknown, unknown]>([
    ['a text', { type: 'string' }, '[sandbox]'],
    ['a text that has its least length', { type: 'string', minLength: 12 }, '[sandbox]...'],
    ['a date', { type: 'string', format: 'date' }, '2025-01-01'],
    ['a number within its bounds', { type: 'number', minimum: 0, maximum: 0.5 }, 0],
    ['a number above another', { type: 'integer', exclusiveMinimum: 4 }, 5],
    ['the first of a choice', { enum: ['a', 'b'] }, 'a'],
    ['what is no null, where both are allowed', { type: ['null', 'integer'] }, 1],
    ['a list', { type: 'array', items: { type: 'boolean' }, minItems: 2 }, [true, true]],
    ['an object of objects', { properties: { a: { properties: { b: { const: 3 } } } } }, { a: { b: 3 } }],
    ['all of several', { allOf: [{ type: 'object' }, { properties: { a: {} } }] }, { a: '[sandbox]' }],
    ['nothing, of what is no schema', 'string', null],
    ['nothing, of a reference that leads nowhere', { $ref: '#/$defs/x' }, null],
  ])('is %s', (_, schema, sample) => {
    expect(sampleOf(schema)).toEqual(sample);
  });

  it('ends, also of a schema that refers to itself', () => {
    const schema = {
      properties: { next: { $ref: '#' }, items: { type: 'array', minItems: 1e9, items: {} } },
    };

    expect(JSON.stringify(sampleOf(schema)).length).toBeLessThan(10_000);
  });

  it('is small, also of lists of lists of lists', () => {
    let schema: object = { type: 'string' };
    for (let depth = 0; depth < 10; depth += 1) schema = { type: 'array', minItems: 20, items: schema };

    expect(JSON.stringify(sampleOf(schema)).length).toBeLessThan(200_000);
  });
});
