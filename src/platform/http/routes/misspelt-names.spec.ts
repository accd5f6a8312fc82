import { meantBy } from './misspelt-names';

const FIELDS = ['maxPriceMicro', 'dryRun', 'scopes'];

describe('a name that was probably meant for a field', () => {
  it.each([
    ['max_price_micro', 'maxPriceMicro'],
    ['maxPrice', 'maxPriceMicro'],
    ['MaxPriceMicros', 'maxPriceMicro'],
    ['maxPirceMicro', 'maxPriceMicro'],
    ['dry_run', 'dryRun'],
    ['dryrun', 'dryRun'],
    ['dryRum', 'dryRun'],
    ['scope', 'scopes'],
  ])('%s is %s', (name, field) => {
    expect(meantBy(name, FIELDS)).toBe(field);
  });

  // Stock clients send these names.
  it.each([
    'max_tokens',
    'max_completion_tokens',
    'prompt',
    'n',
    'user',
    'quality',
    '',
    'm',
    'x'.repeat(10_000),
  ])('%s is none', (name) => {
    expect(meantBy(name, FIELDS)).toBeUndefined();
  });
});
