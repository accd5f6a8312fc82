import { ROLES, type Role } from '#people/accounts/roles';
import { requireChange, requireGrant, requireLeave, requireRemoval } from './member-rules';

const codeOf = (act: () => void): string => {
  try {
    act();
    return 'may';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

const as = (role: Role, id: string = role) => ({ id, role });

describe('who may change whom', () => {
  it.each([
    ['owner', ['may', 'may', 'may', 'may', 'may']],
    ['admin', ['ROLE_REQUIRED', 'may', 'may', 'may', 'may']],
    ['developer', Array<string>(5).fill('ROLE_REQUIRED')],
    ['billing', Array<string>(5).fill('ROLE_REQUIRED')],
    ['viewer', Array<string>(5).fill('ROLE_REQUIRED')],
  ] as const)('as %s: the roles that may be given, and those who may be removed', (by, expected) => {
    expect(ROLES.map((role) => codeOf(() => requireGrant(by, role)))).toEqual(expected);
    expect(ROLES.map((role) => codeOf(() => requireRemoval('org', as(by, 'me'), as(role))))).toEqual(
      expected,
    );
  });

  it('is never oneself, nor whose own organisation it is', () => {
    const owner = as('owner');
    const person = { id: 'org', role: 'owner' } as const;

    expect(codeOf(() => requireChange('org', owner, owner, 'viewer'))).toBe('OWN_ROLE');
    expect(codeOf(() => requireChange('org', owner, person, 'viewer'))).toBe('LAST_OWNER');
    expect(codeOf(() => requireRemoval('org', owner, person))).toBe('LAST_OWNER');
    expect(codeOf(() => requireChange('org', owner, as('admin'), 'owner'))).toBe('may');
    expect(codeOf(() => requireChange('org', as('admin'), as('viewer'), 'owner'))).toBe('ROLE_REQUIRED');
  });

  it('lets everybody leave but the last owner, and nobody their own', () => {
    expect(codeOf(() => requireLeave('org', as('viewer'), 0))).toBe('may');
    expect(codeOf(() => requireLeave('org', as('owner'), 1))).toBe('may');
    expect(codeOf(() => requireLeave('org', as('owner'), 0))).toBe('LAST_OWNER');
    expect(codeOf(() => requireLeave('org', { id: 'org', role: 'owner' }, 1))).toBe('LAST_OWNER');
  });
});
