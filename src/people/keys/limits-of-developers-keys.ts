import { Injectable } from '@nestjs/common';

import { type Acting, onlyMaker } from '#people/accounts/acting-person';
import { LEADS } from '#people/accounts/roles';
import { InvalidRequest } from '#kernel/app-error';
import type { NewKey } from './api-key';
import type { SetBy } from './key-set-by';
import { type KeyScopes, commonScopes } from './key-scopes';
import { KeyRepository } from './key.repository';
import { refuseWiderScopes } from './new-key-checks';

type Scoped = Pick<NewKey, 'scopes' | 'setBy'>;

/** The limits on a member's keys that also limit a new key of theirs. */
export class Binding {
  constructor(
    /** The keys against which the calls of the new key count, so that many keys together can't exceed one limit. */
    readonly countsAgainst: readonly string[],
    private readonly allowed: KeyScopes | undefined,
  ) {}

  /** The new key within the limits. It may ask for fewer rights, not for more; what it leaves out it gets from them. */
  within<Key extends Scoped>(key: Key): Key {
    refuseWiderScopes(key.scopes, this.allowed);
    return this.common(key);
  }

  /** The new key with the scopes that both it and the limits permit. */
  common<Key extends Scoped>(key: Key): Key {
    if (this.allowed === undefined) return key;
    const common = commonScopes(key.scopes ?? {}, this.allowed);
    const empty = (['routes', 'models', 'ips'] as const).find((scope) => common[scope]?.length === 0);
    if (empty !== undefined) {
      throw new InvalidRequest(
        `The limits on your keys leave nothing for which this key could be used (${empty}). Ask an owner or an admin.`,
        { param: `scopes.${empty}` },
      );
    }
    const setBy: SetBy = { ...key.setBy, scopes: LEADS[0] };
    return { ...key, scopes: common, setBy };
  }
}

const FREE = new Binding([], undefined);

/** Limits that owners and admins have set on a developer's keys also limit this developer's next keys. */
@Injectable()
export class MemberLimits {
  constructor(private readonly keys: KeyRepository) {}

  async on(acting: Acting | undefined): Promise<Binding> {
    const maker = acting && onlyMaker(acting);
    if (acting === undefined || maker === undefined) return FREE;
    const binding = await this.keys.bindingOn(acting.organisation.id, maker);
    const limited = binding.flatMap(({ scopes }) => scopes ?? []);
    return new Binding(
      [...new Set(binding.flatMap(({ counted }) => counted))],
      limited.length === 0 ? undefined : limited.reduce(commonScopes),
    );
  }
}
