import { ContentPolicy } from './content-policy';
import { type CategoryScore, Screener } from './screener';
import { categoriesOf, limitProblems, thresholdsOf } from './policy-limits';

/** A screener that returns the scores of a test. */
class FixedScreener extends Screener {
  readonly remote = false;
  scores: readonly CategoryScore[] = [];

  screenText(): Promise<readonly CategoryScore[]> {
    return Promise.resolve(this.scores);
  }

  screenImage(): Promise<readonly CategoryScore[]> {
    return Promise.resolve(this.scores);
  }

  screenVideo(): Promise<readonly CategoryScore[]> {
    return Promise.resolve(this.scores);
  }
}

const verdictOn = (
  scores: readonly CategoryScore[],
  { thresholds = '', adult = '', adultsOnly = false } = {},
): Promise<unknown> => {
  const screener = new FixedScreener();
  screener.scores = scores;
  const limits = { thresholds: thresholdsOf(thresholds), adultCategories: categoriesOf(adult) };
  return new ContentPolicy(screener, limits).of({ adultsOnly }).screenText('x');
};

const score = (category: string, value: number, flagged = false): CategoryScore => ({
  category,
  score: value,
  flagged,
});

describe('the content policy', () => {
  it.each<[string, readonly CategoryScore[], object, string | undefined]>([
    ['believes the screener where it has no threshold', [score('hate', 0.1, true)], {}, 'hate'],
    ['allows what the screener does not flag', [score('hate', 0.9)], {}, undefined],
    ['blocks from its threshold on', [score('violence', 0.6)], { thresholds: 'violence=0.6' }, 'violence'],
    [
      'allows below its threshold',
      [score('violence', 0.59, true)],
      { thresholds: 'violence=0.6' },
      undefined,
    ],
    ['never blocks a category that is off', [score('hate', 1, true)], { thresholds: 'hate=off' }, undefined],
    [
      'knows a category by either spelling',
      [score('self harm', 0.5)],
      { thresholds: 'self_harm=0.2' },
      'self harm',
    ],
    [
      'names the category with the highest score',
      [score('hate', 0.7, true), score('violence', 0.9, true)],
      {},
      'violence',
    ],
    ['blocks adult content for everyone', [score('sexual', 0.9, true)], { adult: 'sexual' }, 'sexual'],
    [
      'allows adult content by a model for adults',
      [score('sexual', 0.9, true)],
      { adult: 'sexual', adultsOnly: true },
      undefined,
    ],
    [
      'blocks everything else by a model for adults',
      [score('sexual', 1, true), score('sexual minors', 0.4, true)],
      { adult: 'sexual', adultsOnly: true },
      'sexual minors',
    ],
  ])('%s', async (_, scores, limits, category) => {
    expect(await verdictOn(scores, limits)).toEqual(
      category === undefined ? { allowed: true } : { allowed: false, category },
    );
  });

  it('accepts no limit that it would misread, and none that allows content with minors', () => {
    expect(limitProblems('violence=0.9, hate=off', 'sexual')).toEqual([]);
    expect(limitProblems('violence=90', undefined)).toHaveLength(1);
    expect(limitProblems('violence', undefined)).toHaveLength(1);
    expect(limitProblems('sexual/minors=off', undefined)).toHaveLength(1);
    expect(limitProblems('sexual/minors=0.9', undefined)).toHaveLength(1);
    expect(limitProblems(undefined, 'sexual,sexual/minors')).toHaveLength(1);
  });
});
