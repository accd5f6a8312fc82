/**
 * The name under which the spending of a member is counted. A person has no budget in their own account. Ids of keys
 * have no slash, so no key has the same name.
 */
export const budgetIdOf = (organisation: string, person: string | undefined): string | undefined =>
  person === undefined || person === organisation ? undefined : `${organisation}/${person}`;
