import { parseFacilitatorHeaders } from './facilitator-headers';
import { composeSettings } from './settings';

describe('the headers for a facilitator', () => {
  it('are a JSON object of names and values', () => {
    expect(parseFacilitatorHeaders('{"Authorization": "Bearer abc", "X-Team": "7"}')).toEqual({
      authorization: 'Bearer abc',
      'x-team': '7',
    });
    expect(composeSettings({}, []).x402.facilitatorHeaders).toEqual({});
  });

  it('are hidden in the log, also without the word before them', () => {
    const { secrets } = composeSettings(
      { X402_FACILITATOR_HEADERS: '{"Authorization": "Bearer a-long-token"}' },
      [],
    );

    expect(secrets).toEqual(expect.arrayContaining(['Bearer a-long-token', 'a-long-token']));
  });

  it.each([
    'Authorization: Bearer secret',
    '["secret"]',
    '"secret"',
    '{"a b": "secret"}',
    '{"a": "secret\\nb: c"}',
    '{"verify": {"authorization": "secret"}}',
  ])('that are something else are refused, and not repeated: %#', (X402_FACILITATOR_HEADERS) => {
    const read = () => composeSettings({ X402_FACILITATOR_HEADERS }, []);

    expect(read).toThrow('X402_FACILITATOR_HEADERS must be a JSON object of header names and values');
    expect(read).not.toThrow(/secret/);
  });
});
