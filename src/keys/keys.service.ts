import { Injectable } from '@nestjs/common';

import { InvalidRequest, NotFound } from '../kernel/app-error';
import { newId } from '../kernel/ids';
import { microToJson } from '../kernel/money';
import { SigningKeys } from '../platform/config/signing-keys';
import { IdempotencyMismatch, type MarkedCall } from '../platform/http/routes/idempotency-key';
import type { UsedKey } from './api-key';
import { hashOfKey, markedKey, newKey, prefixOfKey } from './key-format';
import { KeyRepository } from './key.repository';
import type { KeyAnswer, KeyChangeBody, KeysAnswer, NewKeyAnswer, NewKeyBody } from './keys.dto';
import { ExpiredForGood, KeyNotShownAgain } from './keys.errors';

/** The list is answered whole, so it must stay short. */
const KEYS_MAX = 100;

const answerFor = (key: UsedKey): KeyAnswer => ({
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

export interface Repeatable {
  readonly answer: NewKeyAnswer;
  readonly repeated: boolean;
}

/** An owner's keys. The key itself is answered once, by `create`, and is nowhere after that. */
@Injectable()
export class KeysService {
  constructor(
    private readonly keys: KeyRepository,
    private readonly secrets: SigningKeys,
  ) {}

  async list(accountId: string): Promise<KeysAnswer> {
    return { keys: (await this.keys.list(accountId)).map(answerFor) };
  }

  async create(accountId: string, body: NewKeyBody): Promise<NewKeyAnswer> {
    const key = newKey();
    return { ...(await this.added(accountId, body, key)), key };
  }

  /** Once for each mark of the owner: the same call again gets the same key, for a day. */
  async createMarked(accountId: string, body: NewKeyBody, call: MarkedCall): Promise<Repeatable> {
    const key = markedKey(this.secrets.key('marked api keys'), accountId, call.mark);
    const before = await this.madeBefore(accountId, key, call);
    if (before !== undefined) return { answer: before, repeated: true };
    try {
      return { answer: { ...(await this.added(accountId, body, key, call)), key }, repeated: false };
    } catch (error) {
      // The same call may have come twice at once; then the other one has made it.
      const first = await this.madeBefore(accountId, key, call);
      if (first === undefined) throw error;
      return { answer: first, repeated: true };
    }
  }

  private async madeBefore(
    accountId: string,
    key: string,
    { fingerprint }: MarkedCall,
  ): Promise<NewKeyAnswer | undefined> {
    const made = await this.keys.madeBefore(hashOfKey(key));
    if (made === undefined) return undefined;
    if (!made.madeBy.equals(fingerprint)) throw new IdempotencyMismatch();
    const found = made.shown ? await this.keys.find(accountId, made.id) : undefined;
    if (found === undefined) throw new KeyNotShownAgain();
    const { id, name, prefix, expiresAt, enabled } = found;
    return { id, name, prefix, key, expiresAt: expiresAt?.toISOString() ?? null, enabled };
  }

  private async added(
    accountId: string,
    body: NewKeyBody,
    key: string,
    call?: MarkedCall,
  ): Promise<Omit<NewKeyAnswer, 'key'>> {
    const draft = { id: newId('key'), name: body.name, prefix: prefixOfKey(key) };
    const added = await this.keys.add(
      {
        ...draft,
        accountId,
        hash: hashOfKey(key),
        expiresInDays: body.expiresInDays,
        spendLimitMicro: body.spendLimitMicro ?? null,
        madeBy: call?.fingerprint,
      },
      KEYS_MAX,
    );
    if (added === undefined) {
      throw new InvalidRequest(
        `An account holds at most ${KEYS_MAX} keys. Delete one that you no longer use.`,
      );
    }
    return { ...draft, expiresAt: added.expiresAt?.toISOString() ?? null, enabled: true };
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
