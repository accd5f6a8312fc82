import { readSettings } from '../../settings';

const read = (env: Readonly<Record<string, string>>) => () =>
  readSettings({ ANTHROPIC_API_KEY: 'a-key-0123456789abcdef', ALLOW_SANDBOX_MIX: 'true', ...env });

describe('the patterns of models', () => {
  it.each(['CATALOG_ONLY', 'CATALOG_WITHOUT'])('of %s need a vendor, or nothing would match', (name) => {
    const message = `${name} has a pattern without a vendor: gpt-5*. Did you mean */gpt-5*?`;
    expect(read({ [name]: 'anthropic/*,gpt-5*' })).toThrow(message);
  });

  it('may leave the vendor to a star', () => {
    const CATALOG_ONLY = 'anthropic/*, */gpt-5*';
    expect(read({ CATALOG_ONLY, CATALOG_WITHOUT: '*opus*' })).not.toThrow();
  });
});
