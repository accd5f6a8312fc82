/** `npm run test:nightly` also runs storms and rare faults. The other runs skip them, and report how many. */
export const IS_NIGHTLY = process.env['NIGHTLY'] === 'true';

export const describeNightly = IS_NIGHTLY ? describe : describe.skip;
