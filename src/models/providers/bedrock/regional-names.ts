/** The region of an inference profile, and the maker. A name has both, one or none of them. */
const BEGINNING = /^(?:(?:us|eu|apac|au|jp|in|global|us-gov)\.)?(?:[a-z0-9]+\.)?/;

/** A name at Bedrock without its region and its maker: `claude-v1:0` of `us.anthropic.claude-v1:0`. */
export const withoutRegionAndMaker = (name: string): string => name.replace(BEGINNING, '');
