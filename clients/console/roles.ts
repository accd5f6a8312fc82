import type { Schemas } from './api.ts';

export type Role = Schemas['MemberAnswer']['role'];

/** What the service lets each do, in a line. */
export const ROLES: Readonly<Record<Role, string>> = {
  owner: 'everything, owners included',
  admin: 'everything but owners',
  developer: 'spends, with keys of their own',
  billing: 'tops up and sets alerts',
  viewer: 'looks on',
};

const isRole = (text: string): text is Role => text in ROLES;

/** The roles that somebody in this one may give, the least first. */
export const rolesToGive = (by: string): readonly Role[] =>
  Object.keys(ROLES)
    .filter(isRole)
    .filter((role) => role !== 'owner' || by === 'owner')
    .toReversed();
