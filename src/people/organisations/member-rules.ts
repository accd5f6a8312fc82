import { RoleRequired } from '#people/accounts/accounts.errors';
import { budgetIdOf } from '#people/accounts/budget-id';
import { LEADS, OWNERS, type Role } from '#people/accounts/roles';
import { MEMBERS_MAX } from './organisation-limits';
import { LastOwner, PersonalOrganisation, OwnRole, TooManyMembers } from './organisations.errors';

/** A member with the present role. */
export interface CurrentMember {
  readonly id: string;
  readonly role: Role;
}

/** Refuses a further member beside these. */
export const requireRoom = (members: number): void => {
  if (members >= MEMBERS_MAX) throw new TooManyMembers(MEMBERS_MAX);
};

/** Owners grant and remove every role. Admins grant and remove every role except owner. */
export const requireGrant = (by: Role, role: Role): void => {
  const may = role === 'owner' ? OWNERS : LEADS;
  if (!may.includes(by)) throw new RoleRequired(may, by);
};

/** No member may change their own role, so at least one owner always remains. */
export const requireChange = (
  organisation: string,
  by: CurrentMember,
  member: CurrentMember,
  role: Role,
): void => {
  if (by.id === member.id) throw new OwnRole();
  requireRemoval(organisation, by, member);
  requireGrant(by.role, role);
};

export const requireRemoval = (organisation: string, by: CurrentMember, member: CurrentMember): void => {
  requireGrant(by.role, member.role);
  if (member.id === organisation) throw new PersonalOrganisation(false);
};

/** Owners set every budget. Admins set budgets of other members who are not owners. Returns the budget's id. */
export const requireBudget = (organisation: string, by: CurrentMember, member: CurrentMember): string => {
  requireGrant(by.role, by.id === member.id ? 'owner' : member.role);
  const id = budgetIdOf(organisation, member.id);
  if (id === undefined) throw new PersonalOrganisation(by.id === member.id);
  return id;
};

export const requireLeave = (
  organisation: string,
  { id, role }: CurrentMember,
  otherOwners: number,
): void => {
  if (id === organisation) throw new PersonalOrganisation(true);
  if (role === 'owner' && otherOwners === 0) throw new LastOwner();
};
