import { parseFacilitatorHeaders } from './facilitator-headers';
import { readSettings } from '../../../../../settings';

describe('the headers for a facilitator', () => {
  it('are a JSON object of names and values', () => {
    expect(parseFacilitatorHeaders('{"Authorization": "Bearer abc", "X-Team": "7"}')).toEqual({
      plain: { authorization: 'Bearer abc', 'x-team': '7' },
      byOrigin: {},
    });
    expect(readSettings({}).x402.facilitatorHeaders).toEqual({});
  });

  it('are hidden in the log, also without the word before them', () => {
    const { secrets } = readSettings({
      X402_FACILITATOR_HEADERS: '{"Authorization": "Bearer a-long-token"}',
    });

    expect(secrets).toEqual(expect.arrayContaining(['Bearer a-long-token', 'a-long-token']));
  });

  it('may be those of each facilitator by its origin, which one must have', () => {
    const text =
      '{"https://a.example": {"Authorization": "Bearer first-token"}, "http://b.example:81": {"X-Key": "second-key"}}';
    expect(parseFacilitatorHeaders(text)).toEqual({
      plain: {},
      byOrigin: {
        'https://a.example': { authorization: 'Bearer first-token' },
        'http://b.example:81': { 'x-key': 'second-key' },
      },
    });
    expect(() => readSettings({ X402_FACILITATOR_HEADERS: text })).toThrow(
      'an origin of no configured facilitator',
    );
  });

  it.each([
    '{"https://a.example/path": {"authorization": "secret"}}',
    '{"https://a.example": {"authorization": "secret"}, "x-key": "secret"}',
    'Authorization: Bearer secret',
    '["secret"]',
    '"secret"',
    '{"a b": "secret"}',
    '{"a": "secret\\nb: c"}',
    '{"verify": {"authorization": "secret"}}',
  ])('that are something else are refused, and not repeated: %#', (X402_FACILITATOR_HEADERS) => {
    const read = () => readSettings({ X402_FACILITATOR_HEADERS });

    expect(read).toThrow('X402_FACILITATOR_HEADERS must be a JSON object of header names and values');
    expect(read).not.toThrow(/secret/);
  });
});
