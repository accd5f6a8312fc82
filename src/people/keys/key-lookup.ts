import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import { accountLinks } from '#people/accounts/account-links';
import { AccountBanned } from '#people/accounts/accounts.errors';
import { budgetIdOf } from '#people/accounts/budget-id';
import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import { Database } from '#platform/database/database';
import { type ActingKey, ownerOfKey } from './acting-key';
import { hashNameOf, isKey } from './key-format';
import { type KnownKey, type KnownLevel, KeyRepository } from './key.repository';
import { KeyDisabled, KeyExpired, KeyNotFound } from './keys.errors';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';
import { getOrMake } from '#kernel/maps';

/** Notifications empty the cache at once. This limit covers a lost notification. */
const REMEMBERED_MS = 1_000;
const REMEMBERED_MAX = 10_000;
/** While a key has two secrets, its owner sees which one is used. The time of the last use is exact to some seconds. */
const RECORD_USES_MS = 5_000;

/**
 * Resolves a key to its owner, or to the reason why it may not be used. Used keys are cached for a second, so a
 * frequently used key costs no round trip. Every change of a key or its account notifies all processes, which then drop
 * it from their caches.
 */
@Injectable()
export class KeyLookup implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly known = new LRUCache<string, ActingKey>({
    max: REMEMBERED_MAX,
    ttl: REMEMBERED_MS,
    ttlResolution: REMEMBERED_MS / 50, // By default, the library sets a timer for each millisecond.
  });
  private readonly pending = new Map<string, Promise<KnownKey | undefined>>();
  private readonly uses = new Map<string, { id: string; exchanged: 'old' | 'new'; at: Date }>();
  private readonly recording: BackgroundTask;
  private changes = 0;
  private stop?: () => Promise<void>;

  constructor(
    private readonly keys: KeyRepository,
    private readonly db: Database,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
    background: BackgroundWork,
  ) {
    this.recording = background.task('Noting the use of secrets', () => this.recordUses());
  }

  async onApplicationBootstrap(): Promise<void> {
    this.stop = await this.db.listen(
      'key_changed',
      (id) => this.forget(id),
      () => this.forgetAll(),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.recording.stop();
    await this.recordUses().catch(() => undefined); // The next use is recorded again.
    await this.stop?.();
  }

  async identify(key: string): Promise<ActingKey> {
    if (!isKey(key)) throw new KeyNotFound(accountLinks(this.settings.http.publicUrl), false);
    return this.identifyHash(hashNameOf(key));
  }

  /** `hash` is the base64 hash of a secret. A credential that stands for the key, such as an access token, names it. */
  async identifyHash(hash: string): Promise<ActingKey> {
    const known = this.known.get(hash);
    if (known === undefined) return this.find(hash);
    this.noteUse(known);
    return known;
  }

  private async find(name: string): Promise<ActingKey> {
    const links = accountLinks(this.settings.http.publicUrl);
    const { changes } = this;
    const start = performance.now();
    const found = await this.lookUp(name);
    if (found?.banned === true) throw new AccountBanned(links);
    // An ended key above is reported before the key itself.
    const ended = found === undefined ? 'deleted' : found.levels.find((level) => level.ended)?.ended;
    if (found === undefined || ended !== undefined) throw endingOf(ended ?? 'deleted', links);
    const acting = actingKey(found, name);
    this.noteUse(acting);
    // A value that was read before the notification may be outdated.
    if (changes === this.changes) this.known.set(name, acting, { start });
    return acting;
  }

  /** Finds the earlier keys, by their `keyProof`, that `identify` would still accept. */
  livingAmong(proofs: readonly string[]): Promise<ReadonlySet<string>> {
    return this.keys.livingAmong(proofs);
  }

  /** The error that `identify` throws now, for a key that was valid before. */
  async endingOf(secret: string): Promise<Error> {
    try {
      await this.find(secret);
    } catch (error) {
      return error as Error;
    }
    // The key was enabled again at the same moment; its next call works.
    return new KeyDisabled(accountLinks(this.settings.http.publicUrl));
  }

  /** Concurrent calls with the same key share one query. */
  private lookUp(name: string): Promise<KnownKey | undefined> {
    return getOrMake(this.pending, name, () =>
      this.keys.byHash(Buffer.from(name, 'base64')).finally(() => this.pending.delete(name)),
    );
  }

  private noteUse({ id, exchanged }: ActingKey): void {
    if (exchanged === undefined) return;
    this.uses.set(`${exchanged}|${id}`, { id, exchanged, at: new Date() });
    this.recording.wake(RECORD_USES_MS);
  }

  private async recordUses(): Promise<void> {
    const uses = [...this.uses.entries()];
    if (uses.length === 0) return;
    await this.keys.used(uses.map(([, use]) => use));
    for (const [name, use] of uses) if (this.uses.get(name) === use) this.uses.delete(name);
  }

  /** `id` is a key, or an account with all its keys. */
  private forget(id: string): void {
    this.changes += 1;
    this.pending.clear();
    for (const [name, key] of this.known.entries()) {
      if (ownerOfKey(key) === id || key.levels.some((level) => level.id === id)) this.known.delete(name);
    }
  }

  private forgetAll(): void {
    this.changes += 1;
    this.pending.clear();
    this.known.clear();
  }
}

const endingOf = (ended: NonNullable<KnownLevel['ended']>, links: ReturnType<typeof accountLinks>): Error => {
  switch (ended) {
    case 'deleted':
      return new KeyNotFound(links, true);
    case 'expired':
      return new KeyExpired(links);
    case 'disabled':
      return new KeyDisabled(links);
    default:
      return ended satisfies never;
  }
};

const actingKey = (
  { above, countedAbove, levels, maker, ...known }: KnownKey,
  secret: string,
): ActingKey => ({
  ...known,
  maker,
  secret,
  levels,
  isDelegated: known.depth > 0,
  counted: [...countedAbove, known.id].join(','),
  budgetId: known.reserveId === undefined ? budgetIdOf(known.accountId ?? '', maker) : undefined,
  // The root of a tree is a key of depth 0, or else an account or a wallet.
  rootKeyId: known.depth === above.length ? (above[0] ?? known.id) : undefined,
});
