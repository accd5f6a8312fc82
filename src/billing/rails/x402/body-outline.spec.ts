import { ListField, TextField, WholeField, schemaOf } from '../../../platform/http/routes/fields';
import { outlineOf } from './body-outline';

class Message {
  @TextField({ max: 10, about: 'Who speaks.' }) readonly role: string;
}

class Body {
  @ListField(() => Message, { min: 1, max: 50 }) readonly messages: readonly Message[];
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

  it('says only that it is an object when even that is too long', () => {
    expect(outlineOf(schemaOf(Body), 50)).toEqual({ type: 'object' });
  });
});
