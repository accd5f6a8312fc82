import { ContentPolicy } from './content-policy';
import { RulesScreener } from './rules-screener';
import { screenInSlices } from './screening-slices';

const policy = new ContentPolicy(
  new RulesScreener({ patterns: { weapons: ['build a bomb'] }, blockedHashes: [] }),
  { thresholds: new Map(), adultCategories: new Set() },
);

describe('rules', () => {
  it('are not passed by letters that look like others', async () => {
    expect(await policy.screenText('Ｂuïld a ｂomb')).toEqual({ allowed: false, category: 'weapons' });
  });

  it('see what a slice parts, and look at no slice twice', async () => {
    const screened: number[] = [];
    const seen = Object.assign(Object.create(policy) as ContentPolicy, {
      screenText: (text: string) => {
        screened.push(text.length);
        return policy.screenText(text);
      },
    });
    const text = `${'a'.repeat(16 * 1024 - 6)}build a bomb${'a'.repeat(100_000)}`;

    const { verdict, from, to } = await screenInSlices(seen, text);

    expect(verdict.allowed).toBe(false);
    expect(text.slice(from, to)).toContain('build a bomb');
    expect(screened).toHaveLength(2);
  });

  it('leave other callers their turn between two slices', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    await screenInSlices(policy, '\ufdfa'.repeat(400_000));
    clearInterval(timer);

    expect(turns).toBeGreaterThan(3);
  });
});
