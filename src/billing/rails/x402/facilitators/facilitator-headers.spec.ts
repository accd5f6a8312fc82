import { facilitatorHeaders } from './facilitator-headers';

describe('the headers for a facilitator', () => {
  it('are a JSON object of names and values', () => {
    expect(facilitatorHeaders('{"Authorization": "Bearer abc", "X-Team": "7"}')).toEqual({
      authorization: 'Bearer abc',
      'x-team': '7',
    });
    expect(facilitatorHeaders(undefined)).toEqual({});
  });

  it.each([
    'Authorization: Bearer secret',
    '["secret"]',
    '"secret"',
    '{"a b": "secret"}',
    '{"a": "secret\\nb: c"}',
  ])('that are something else stop the start, and are not repeated: %#', (setting) => {
    const read = () => facilitatorHeaders(setting);

    expect(read).toThrow('X402_FACILITATOR_HEADERS must be a JSON object of header names and values.');
    expect(read).not.toThrow(/secret/);
  });
});
