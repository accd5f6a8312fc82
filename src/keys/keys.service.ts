import { Injectable } from '@nestjs/common';

import { InvalidRequest, NotFound } from '../kernel/app-error';
import { newId } from '../kernel/ids';
import { microToJson } from '../kernel/money';
import type { ApiKey } from './api-key';
import { hashOfKey, newKey, prefixOfKey } from './key-format';
import { KeyRepository } from './key.repository';
import type { KeyAnswer, KeyChangeBody, KeysAnswer, NewKeyAnswer, NewKeyBody } from './keys.dto';
import { ExpiredForGood } from './keys.errors';

/** The list is answered whole, so it must stay short. */
const KEYS_MAX = 100;

const answerFor = (key: ApiKey): KeyAnswer => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  state: key.state,
  enabled: key.enabled,
  createdAt: key.createdAt.toISOString(),
  expiresAt: key.expiresAt?.toISOString() ?? null,
  spendLimitMicro: key.spendLimit === undefined ? null : microToJson(key.spendLimit),
  requestCount: key.requestCount,
  spend30dMicro: microToJson(key.spend30d),
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
});

/** An owner's keys. The key itself is answered once, by `create`, and is nowhere after that. */
@Injectable()
export class KeysService {
  constructor(private readonly keys: KeyRepository) {}

  async list(accountId: string): Promise<KeysAnswer> {
    return { keys: (await this.keys.list(accountId)).map(answerFor) };
  }

  async create(accountId: string, body: NewKeyBody): Promise<NewKeyAnswer> {
    const key = newKey();
    const draft = { id: newId('key'), name: body.name, prefix: prefixOfKey(key) };
    const added = await this.keys.add(
      {
        ...draft,
        accountId,
        hash: hashOfKey(key),
        expiresInDays: body.expiresInDays,
        spendLimitMicro: body.spendLimitMicro ?? null,
      },
      KEYS_MAX,
    );
    if (added === undefined) {
      throw new InvalidRequest(
        `An account holds at most ${KEYS_MAX} keys. Delete one that you no longer use.`,
      );
    }
    return { ...draft, key, expiresAt: added.expiresAt?.toISOString() ?? null, enabled: true };
  }

  async change(accountId: string, id: string, body: KeyChangeBody): Promise<KeyAnswer> {
    const changed = await this.keys.change(accountId, id, body);
    const key = await this.keys.find(accountId, id);
    if (key === undefined) {
      throw new NotFound('There is no key with this id.');
    }
    if (!changed) {
      throw new ExpiredForGood(body.expiresInDays === undefined ? 'enabled' : 'expiresInDays');
    }
    return answerFor(key);
  }

  async delete(accountId: string, id: string): Promise<void> {
    if (!(await this.keys.delete(accountId, id))) {
      throw new NotFound('There is no key with this id.');
    }
  }
}
