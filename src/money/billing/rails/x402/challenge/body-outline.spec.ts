import { ChoiceField, ListField, TextField, WholeField } from '#platform/http/routes/fields';
import { schemaOf } from '#platform/http/routes/schema-of';
import { outlineOf } from './body-outline';

class Message {
  @TextField({ max: 10, about: 'Who speaks.' }) readonly role: string;
}

class Body {
  @ListField(() => Message, { min: 1, max: 50 }) readonly messages: readonly Message[];
  @ChoiceField(['low', 'high'], { optional: true }) readonly effort?: string;
  @WholeField({ min: 1, max: 8_192, default: 1_024, optional: true }) readonly max_tokens?: number;
}

const MESSAGES = {
  type: 'array',
  minItems: 1,
  maxItems: 50,
  items: { type: 'object', required: ['role'], properties: { role: { type: 'string', maxLength: 10 } } },
};

describe('the outline of a body', () => {
  it('says all fields when there is room', () => {
    expect(outlineOf(schemaOf(Body), 2_000)).toEqual({
      type: 'object',
      required: ['messages'],
      properties: {
        messages: MESSAGES,
        effort: { type: 'string', enum: ['low', 'high'] },
        max_tokens: { type: 'integer', minimum: 1, maximum: 8_192, default: 1_024 },
      },
    });
  });

  it('says what must be sent when there is not', () => {
    expect(outlineOf(schemaOf(Body), 220)).toEqual({
      type: 'object',
      required: ['messages'],
      properties: { messages: MESSAGES },
    });
  });

  it('takes all the room that there is, to the last byte', () => {
    const all = outlineOf(schemaOf(Body), 2_000);
    const { effort, max_tokens, ...needed } = all['properties'] as Record<string, object>;
    const bytes = JSON.stringify(all).length;
    const least = JSON.stringify({ ...all, properties: needed }).length;

    expect([effort, max_tokens]).not.toContain(undefined);
    expect(outlineOf(schemaOf(Body), bytes)).toEqual(all);
    expect(outlineOf(schemaOf(Body), bytes - 1)).toEqual({ ...all, properties: needed });
    expect(outlineOf(schemaOf(Body), least)).toEqual({ ...all, properties: needed });
    expect(outlineOf(schemaOf(Body), least - 1)).toEqual({ type: 'object' });
  });

  it('says only that it is an object when even that is too long', () => {
    expect(outlineOf(schemaOf(Body), 50)).toEqual({ type: 'object' });
  });
});
