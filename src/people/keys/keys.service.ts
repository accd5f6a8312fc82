import { Injectable } from '@nestjs/common';

import { RoleRequired } from '#people/accounts/accounts.errors';
import { type Acting, keyScopeOf, onlyMaker } from '#people/accounts/acting-person';
import { LEADS } from '#people/accounts/roles';
import { InvalidRequest, NotFound } from '#kernel/app-error';
import { microToJson } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import { pageOf } from '#platform/http/routes/page-query';
import type { IdempotentCall } from '#platform/http/routes/idempotency-key';
import type { UsedKey } from './api-key';
import { newKey, storedOf } from './key-format';
import { KeyMaker, type NewKeySecret } from './key-maker';
import { EndedKeyNotifier } from './ended-key-notifier';
import { checkedLimits, checkedScopes, refuseWiderScopes, secondsBelow } from './new-key-checks';
import type { KeyScopes } from './key-scopes';
import { guardedIn, isGuarded, setAtStart } from './guarded-settings';
import { type KeyOutlook, type KeyPage, type KeysOf, KeyRepository } from './key.repository';
import { MemberLimits } from './limits-of-developers-keys';
import { ScopeModels } from './scope-models';
import type { KeyAnswer, KeyChangeBody, KeysAnswer, NewKeyAnswer, NewKeyBody } from './keys.dto';
import { AppHasNoSecret, ExpiredForGood } from './keys.errors';

const DAY_SECONDS = 86_400;

const whenOrNull = (time: Date | undefined): string | null => time?.toISOString() ?? null;

const keyAnswerFor = (key: UsedKey, outlook: KeyOutlook | undefined): KeyAnswer => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  state: key.state,
  enabled: key.enabled,
  createdAt: key.createdAt.toISOString(),
  expiresAt: whenOrNull(key.expiresAt),
  spendLimitMicro: key.spendLimit === undefined ? null : microToJson(key.spendLimit),
  requestCount: key.requestCount,
  spend30dMicro: microToJson(key.spend30d),
  lastUsedAt: whenOrNull(key.lastUsedAt),
  spendLimits: {
    dayMicro: ifPresent(key.dayLimit, microToJson),
    monthMicro: ifPresent(key.monthLimit, microToJson),
    totalMicro: ifPresent(key.totalLimit, microToJson),
  },
  scopes: key.scopes ?? {},
  spentMicro: microToJson(key.spent),
  mayLoseTodayMicro: ifPresent(outlook?.mayLose, microToJson) ?? 0,
  days: outlook?.days ?? [],
  previousSecret:
    key.previousUntil === undefined || key.previousUntil <= new Date()
      ? undefined
      : {
          worksUntil: key.previousUntil.toISOString(),
          lastUsedAt: whenOrNull(key.previousUsedAt),
          newLastUsedAt: whenOrNull(key.usedAt),
        },
  depth: key.depth,
  parentId: key.parentId,
  reserveLeftMicro: ifPresent(key.reserveLeft, microToJson),
  madeBy: key.maker,
  app: key.app,
});

const newKeyAnswerFor = ({ id, name, prefix, secret, expiresAt, enabled }: NewKeySecret): NewKeyAnswer => ({
  id,
  name,
  prefix,
  key: secret,
  expiresAt: whenOrNull(expiresAt),
  enabled,
});

/** An owner's keys. `create` returns the secret once, and it is stored nowhere. */
@Injectable()
export class KeysService {
  constructor(
    private readonly keys: KeyRepository,
    private readonly maker: KeyMaker,
    private readonly endedKeys: EndedKeyNotifier,
    private readonly models: ScopeModels,
    private readonly limits: MemberLimits,
  ) {}

  async list(acting: Acting, { limit, before }: KeyPage): Promise<KeysAnswer> {
    const found = await this.keys.page(keysOf(acting), { limit: limit + 1, before });
    const { page, nextCursor } = pageOf(found, limit, ({ id }) => id);
    const outlooks = await this.keys.outlooks(page.map(({ id }) => id));
    return { keys: page.map((key) => keyAnswerFor(key, outlooks.get(key.id))), nextCursor };
  }

  /** For a day, a repeated call with the same idempotency key gets the same key again. */
  async create(
    acting: Acting,
    body: NewKeyBody,
    call?: IdempotentCall,
  ): Promise<{ readonly answer: NewKeyAnswer; readonly repeated: boolean }> {
    this.models.refuseUnknown(body.scopes);
    const draft = {
      accountId: acting.organisation.id,
      maker: acting.person.id,
      name: body.name,
      expiresInSeconds: body.expiresInDays === null ? null : body.expiresInDays * DAY_SECONDS,
      spendLimitMicro: body.spendLimitMicro,
      spendLimits: checkedLimits(body.spendLimits),
      scopes: checkedScopes(body.scopes),
    };
    const limits = await this.limits.on(acting);
    const made = {
      ...draft,
      countsAgainst: limits.countsAgainst,
      setBy: setAtStart(draft, acting.role),
    };
    const { key, repeated } = await this.maker.make(made, keyScopeOf(acting), call, (one) =>
      limits.within(one),
    );
    return { answer: newKeyAnswerFor(key), repeated };
  }

  async change(acting: Acting, id: string, body: KeyChangeBody): Promise<KeyAnswer> {
    const { organisation, person, role } = acting;
    const found = await this.keys.find(keysOf(acting), id);
    if (found === undefined) throw noSuchKey();
    this.models.refuseUnknown(body.scopes ?? undefined, found.scopes);
    if (body.scopes) await this.refuseWider(organisation.id, checkedScopes(body.scopes), found.above);
    await this.refuseLater(body.expiresInDays, found.above);
    checkedLimits(body.spendLimits);
    refuseOtherTotal(found, body);
    const changed = await this.keys.change(organisation.id, id, body, { person: person.id, role });
    const key = await this.keys.find({ owner: organisation.id }, id);
    if (key === undefined) throw noSuchKey();
    if (!changed) {
      if (isGuarded(key.setBy, guardedIn(body, role))) throw new RoleRequired(LEADS, role);
      throw new ExpiredForGood(body.expiresInDays === undefined ? 'enabled' : 'expiresInDays');
    }
    return keyAnswerFor(key, (await this.keys.outlooks([id])).get(id));
  }

  /** A new secret for the same key, shown once. */
  async rotate(acting: Acting, id: string, overlapSeconds: number): Promise<NewKeyAnswer> {
    const secret = newKey();
    const { hash, prefix } = storedOf(secret);
    const found = await this.keys.find(keysOf(acting), id);
    if (found === undefined) throw noSuchKey();
    if (found.app !== undefined) throw new AppHasNoSecret();
    const rotated = await this.keys.rotate(acting.organisation.id, id, { hash, prefix }, overlapSeconds);
    if (!rotated) throw new ExpiredForGood('id');
    if (overlapSeconds === 0) await this.endedKeys.notify();
    return newKeyAnswerFor({ ...found, prefix, secret });
  }

  private async refuseWider(
    accountId: string,
    scopes: KeyScopes | undefined,
    above: readonly string[],
  ): Promise<void> {
    for (const id of above) {
      const { scopes: allowed } = (await this.keys.find({ owner: accountId }, id)) ?? {};
      refuseWiderScopes(scopes, allowed);
    }
  }

  private async refuseLater(days: number | null | undefined, above: readonly string[]): Promise<void> {
    if (days === undefined) return;
    const left = await this.keys.secondsLeft(above);
    if (left !== undefined)
      secondsBelow(left, days === null ? Infinity : days * DAY_SECONDS, 'expiresInDays');
  }

  async delete(acting: Acting, id: string): Promise<void> {
    if (!(await this.keys.delete(keysOf(acting), id))) throw noSuchKey();
    await this.endedKeys.notify();
  }
}

const keysOf = (acting: Acting): KeysOf => ({ owner: acting.organisation.id, maker: onlyMaker(acting) });

/**
 * A key's reserve is counted in full at the keys above it, so a higher total would allow money that nobody has
 * reserved.
 */
const refuseOtherTotal = ({ id, reserveId, totalLimit }: UsedKey, { spendLimits }: KeyChangeBody): void => {
  if (reserveId !== id || spendLimits === undefined) return;
  if (spendLimits?.totalMicro === ifPresent(totalLimit, microToJson)) return;
  throw new InvalidRequest(
    "The limit of this key is reserved, so its total can't be changed. Send the present total. Or delete the key, which " +
      'returns the rest of the reserve, and make another key.',
    { param: 'spendLimits.totalMicro' },
  );
};

const noSuchKey = (): NotFound => new NotFound('There is no key with this id.');
