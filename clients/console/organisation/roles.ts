import type { Schemas } from '../parts/api.ts';

export type Role = Schemas['MemberAnswer']['role'];

/** The permissions of each role, in one line. */
export const ROLES: Readonly<Record<Role, string>> = {
  owner: 'everything, owners included',
  admin: 'everything but owners',
  developer: 'spends, with keys of their own',
  billing: 'tops up and sets alerts',
  viewer: 'looks on',
};

const isRole = (text: string): text is Role => text in ROLES;

/** The roles that a member with this role may assign, from least to most rights. */
export const rolesToGive = (by: string): readonly Role[] =>
  Object.keys(ROLES)
    .filter(isRole)
    .filter((role) => role !== 'owner' || by === 'owner')
    .toReversed();
