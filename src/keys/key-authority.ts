import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import { accountLinks } from '../accounts/account-links';
import { AccountBanned } from '../accounts/accounts.errors';
import { SETTINGS, type Settings } from '../platform/config/settings';
import { Database } from '../platform/database/database';
import { hashOfKey, isKey } from './key-format';
import { type KnownKey, KeyRepository } from './key.repository';
import { KeyDisabled, KeyExpired, KeyNotFound } from './keys.errors';

/** The account that a key acts for. */
export interface KeyOwner {
  readonly accountId: string;
  readonly keyId: string;
}

/** Notices empty the memory at once; this is for one that gets lost. */
const REMEMBERED_MS = 1_000;
const REMEMBERED_MAX = 10_000;

/**
 * Says whom a key belongs to, or why it may not be used. Keys in use are remembered for a second, so that a hot one
 * costs no round trip; every change of a key or its account is told to all processes, which forget it then.
 */
@Injectable()
export class KeyAuthority implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly known = new LRUCache<string, KeyOwner>({ max: REMEMBERED_MAX, ttl: REMEMBERED_MS });
  private readonly asked = new Map<string, Promise<KnownKey | undefined>>();
  private changes = 0;
  private stop?: () => Promise<void>;

  constructor(
    private readonly keys: KeyRepository,
    private readonly db: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.stop = await this.db.listen(
      'key_changed',
      (id) => this.forget(id),
      () => this.forgetAll(),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop?.();
  }

  async identify(key: string): Promise<KeyOwner> {
    const links = accountLinks(this.settings.http.publicUrl);
    if (!isKey(key)) {
      throw new KeyNotFound(links, false);
    }
    const hash = hashOfKey(key);
    const name = hash.toString('base64');
    const known = this.known.get(name);
    if (known !== undefined) {
      return known;
    }
    const { changes } = this;
    const start = performance.now();
    const found = await this.lookUp(name, hash);
    if (found === undefined) {
      throw new KeyNotFound(links, true);
    }
    if (found.banned) {
      throw new AccountBanned(links);
    }
    if (found.expired) {
      throw new KeyExpired(links);
    }
    if (!found.enabled) {
      throw new KeyDisabled(links);
    }
    // What was read before a change was told may be from before that change.
    const { keyId, accountId } = found;
    if (changes === this.changes) this.known.set(name, { keyId, accountId }, { start });
    return found;
  }

  /** Of keys by their ids, those that `identify` would still answer. */
  goodAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.keys.goodAmong(ids);
  }

  /** Calls that come with the same key at the same moment share one look. */
  private lookUp(name: string, hash: Buffer): Promise<KnownKey | undefined> {
    let asked = this.asked.get(name);
    if (asked === undefined) {
      asked = this.keys.byHash(hash).finally(() => this.asked.delete(name));
      this.asked.set(name, asked);
    }
    return asked;
  }

  /** `id` is that of a key, or of an account whose keys are all meant. */
  private forget(id: string): void {
    this.changes += 1;
    this.asked.clear();
    for (const [name, { keyId, accountId }] of this.known.entries()) {
      if (keyId === id || accountId === id) this.known.delete(name);
    }
  }

  private forgetAll(): void {
    this.changes += 1;
    this.asked.clear();
    this.known.clear();
  }
}
