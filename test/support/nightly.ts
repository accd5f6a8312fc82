/** `npm run test:nightly` runs storms and rare faults too. `npm test` skips them, and its report counts what it skipped. */
export const IS_NIGHTLY = process.env['NIGHTLY'] === 'true';

export const describeNightly = IS_NIGHTLY ? describe : describe.skip;
