/**
 * The id under which the service counts the spending of a member. A person has no budget in their own account. Ids of
 * keys have no slash, so no key has the same id.
 */
export const budgetIdOf = (organisation: string, person: string | undefined): string | undefined =>
  person === undefined || person === organisation ? undefined : `${organisation}/${person}`;
