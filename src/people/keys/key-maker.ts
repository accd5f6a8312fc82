import { Injectable } from '@nestjs/common';

import { newId } from '#kernel/ids';
import { SigningKeys } from '#platform/config/signing-keys';
import type { IdempotentCall } from '#platform/http/routes/idempotency-key';
import { IdempotencyMismatch } from '#platform/http/routes/routes.errors';
import type { NewKey } from './api-key';
import type { ApiKey } from './api-key.entity';
import { hashOfKey, derivedKey, newKey, storedOf } from './key-format';
import { KEY_LIMITS } from './key-limits';
import { KeyLookup } from './key-lookup';
import { KeyRepository } from './key.repository';
import { KeyNotShownAgain, TooManyKeys } from './keys.errors';

/** A key with its secret, which is shown once. */
export interface NewKeySecret extends Pick<
  ApiKey,
  'id' | 'name' | 'prefix' | 'expiresAt' | 'enabled' | 'scopes'
> {
  readonly secret: string;
}

/** The fields of a new key. The id is given only if something names the key before it exists. */
export type KeyDraft = Omit<NewKey, 'id' | 'hash' | 'prefix' | 'madeBy'> & { readonly id?: string };

/** Makes keys. For a day, a repeated call with the same idempotency key gets the same key again. */
@Injectable()
export class KeyMaker {
  constructor(
    private readonly keys: KeyRepository,
    private readonly secrets: SigningKeys,
    private readonly authority: KeyLookup,
  ) {}

  /**
   * `maker` separates the idempotency keys of different makers. `limited` puts a new key within limits, or throws. A
   * repeated call gets its key whatever the limits are now.
   */
  async make(
    draft: KeyDraft,
    maker: string,
    call: IdempotentCall | undefined,
    limited: (draft: KeyDraft) => KeyDraft = (same) => same,
  ): Promise<{ readonly key: NewKeySecret; readonly repeated: boolean }> {
    if (call === undefined) return { key: await this.added(limited(draft), newKey()), repeated: false };
    const secrets = this.secretsOf(maker, call.mark);
    const before = await this.madeBefore(draft, secrets, call);
    if (before !== undefined) return { key: before, repeated: true };
    try {
      return { key: await this.added(limited(draft), secrets[0]!, call), repeated: false };
    } catch (error) {
      // Two equal calls may run at once; then the other one has made the key.
      const first = await this.madeBefore(draft, secrets, call);
      if (first === undefined) throw error;
      return { key: first, repeated: true };
    }
  }

  /**
   * The possible secrets of a key that was made with this idempotency key: two of them while the server's secret
   * changes.
   */
  secretsOf(maker: string, mark: string): readonly string[] {
    return this.secrets.keys('marked api keys').map((key) => derivedKey(key, maker, mark));
  }

  private async madeBefore(
    { accountId, wallet }: KeyDraft,
    secrets: readonly string[],
    { fingerprint }: IdempotentCall,
  ): Promise<NewKeySecret | undefined> {
    const found = await Promise.all(
      secrets.map(async (secret) => ({ secret, made: await this.keys.madeBefore(hashOfKey(secret)) })),
    );
    const { secret = '', made } = found.find((one) => one.made !== undefined) ?? {};
    if (made === undefined) return undefined;
    if (!made.madeBy.equals(fingerprint)) throw new IdempotencyMismatch();
    const owner = accountId ?? wallet ?? '';
    const key = made.shown ? await this.keys.find({ owner }, made.id) : undefined;
    if (key === undefined) throw new KeyNotShownAgain();
    const { id, name, prefix, expiresAt, enabled, scopes } = key;
    return { id, name, prefix, secret, expiresAt, enabled, scopes };
  }

  private async added(draft: KeyDraft, secret: string, call?: IdempotentCall): Promise<NewKeySecret> {
    const { id = newId('key'), name, scopes } = draft;
    const stored = storedOf(secret);
    const added = await this.keys.add({ ...draft, ...stored, id, madeBy: call?.fingerprint }, KEY_LIMITS);
    if (added === 'full') throw new TooManyKeys(KEY_LIMITS, (draft.parentage?.depth ?? 0) > 1);
    if (added === 'ended') throw await this.authority.endingOf(draft.parentage?.secretAbove ?? '');
    const { expiresAt, enabled } = added;
    return { id, name, prefix: stored.prefix, secret, expiresAt, enabled, scopes };
  }
}
