import { readSettings } from '../../settings';

const read = (env: Readonly<Record<string, string>>) => () =>
  readSettings({ ANTHROPIC_API_KEY: 'a-key-0123456789abcdef', ALLOW_SANDBOX_MIX: 'true', ...env });

describe('the patterns of models', () => {
  it.each(['gpt-5*', 'anthropic/*,claude-opus-5'])(
    '%s must name a vendor, or nothing would match',
    (text) => {
      for (const name of ['CATALOG_ONLY', 'CATALOG_WITHOUT'])
        expect(read({ [name]: text })).toThrow(
          new RegExp(
            `${name} has a pattern without a vendor: ${text.split(',').at(-1)!.replace('*', '.')}.*`,
          ),
        );
    },
  );

  it('may leave the vendor to a star', () => {
    expect(read({ CATALOG_ONLY: 'anthropic/*, */gpt-5*', CATALOG_WITHOUT: '*opus*' })).not.toThrow();
  });
});
