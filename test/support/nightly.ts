/**
 * `npm run test:nightly` also runs storms and rare faults. `npm test` skips them, and its report counts the skipped
 * tests.
 */
export const IS_NIGHTLY = process.env['NIGHTLY'] === 'true';

export const describeNightly = IS_NIGHTLY ? describe : describe.skip;
