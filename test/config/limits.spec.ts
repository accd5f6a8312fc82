import { readSettings } from '../../src/settings';

const addressLimit = (variables: Readonly<Record<string, string>>): number =>
  readSettings(variables).limits.address;

describe('the limit of all calls of an address', () => {
  it('does not cut off another limit that was raised', () => {
    expect(addressLimit({})).toBe(6_000);
    expect(addressLimit({ RATE_LIMIT_CHAT: '100000' })).toBe(100_000);
    expect(addressLimit({ RATE_LIMIT_TOP_UP: '7000' })).toBe(7_000);
  });

  it('is what the operator says, once it is said', () => {
    expect(addressLimit({ RATE_LIMIT_CHAT: '100000', RATE_LIMIT_ADDRESS: '500' })).toBe(500);
    expect(addressLimit({ RATE_LIMIT_ADDRESS: '0' })).toBe(0);
  });
});
