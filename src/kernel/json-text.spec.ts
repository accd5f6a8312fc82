import { jsonText, keepText } from './json-text';

describe('jsonText', () => {
  it('is the JSON of an object, whether or not its fields were kept', () => {
    const kept = keepText({ a: [1, 'two', null], 'b"': undefined });
    const body = { 'x"y': 1, kept, absent: undefined, text: 'é"', list: [kept], nothing: null };
    expect(jsonText(body)).toBe(JSON.stringify(body));
    expect(jsonText({ a: 1, absent: undefined })).toBe('{"a":1}');
  });

  it('makes the text of a kept object once', () => {
    let made = 0;
    const kept = keepText({ toJSON: () => (made += 1) });
    expect([jsonText({ kept }), jsonText({ kept })]).toEqual(['{"kept":1}', '{"kept":1}']);
  });
});
