/**
 * The person of a key: its maker, or the maker of the root key above it. An account's key without a member belongs to
 * the account's own person, because organisations store every maker.
 */
export const memberOfKey = (key: string): string => `(
    select coalesce(made.member_id, (select root.member_id from api_key root where root.id = made.above[1]), made.account_id)
    from api_key made where made.id = ${key})`;

/** The person of a call: the person of its session, or else the person of its key. */
export const memberOfCall = (row: string): string =>
  `coalesce(${row}.person_id, ${memberOfKey(`${row}.key_id`)})`;

/**
 * The condition of a view on rows with a key and a person, such as charges. The parameters are the placeholders of
 * `onlyKey` and `onlyMember`.
 */
export const callIsSeen = (row: string, onlyKey: string, onlyMember: string): string =>
  `(${onlyKey}::text is null or ${row}.key_id = ${onlyKey})
    and (${onlyMember}::text is null or ${memberOfCall(row)} = ${onlyMember})`;

/** The developer with this id in an organisation; null for members of other roles. */
export const developerOf = (organisation: string, person: string): string =>
  `(select held.account_id from member held
    where held.organisation_id = ${organisation} and held.account_id = ${person} and held.role = 'developer')`;
