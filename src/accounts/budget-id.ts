/**
 * The name under which the spending of a member is counted. A person has no budget in their own account, and no key has
 * a slash in its id.
 */
export const budgetIdOf = (organisation: string, person: string | undefined): string | undefined =>
  person === undefined || person === organisation ? undefined : `${organisation}/${person}`;
