import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { accountLinks } from '#people/accounts/account-links';
import { type Acting, keyScopeOf, onlyMaker } from '#people/accounts/acting-person';
import type { ProvenOwner } from '#money/billing/calls/owners';
import { InsufficientFunds, KeySpendLimit, MemberBudgetSpent } from '#money/billing/charges/funds.errors';
import { KeyReserves } from '#money/billing/ledger/key-reserves';
import { Rails } from '#money/billing/rails/rails';
import type { WalletAddress } from '#kernel/wallet-address';
import { MissingCredentials } from '#money/billing/calls/refused-call.errors';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { InvalidSignIn } from '#people/identity/identity.errors';
import { WalletSignIn } from '#people/identity/wallet-sign-in';
import { InvalidRequest, NotFound } from '#kernel/app-error';
import { newId } from '#kernel/ids';
import { micro, microToJson, usdText } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import type { ActingKey } from '#people/keys/acting-key';
import type { KeyParentage, UsedKey } from '#people/keys/api-key';
import type { KeyApp } from '#people/keys/api-key.entity';
import type { KeyScopes } from '#people/keys/key-scopes';
import { EndedKeyNotifier } from '#people/keys/ended-key-notifier';
import { KeyMaker, type NewKeySecret } from '#people/keys/key-maker';
import { checkedScopes, refuseWiderScopes, secondsBelow } from '#people/keys/new-key-checks';
import { type KeyPage, type KeysOf, KeyRepository } from '#people/keys/key.repository';
import { type Binding, MemberLimits } from '#people/keys/limits-of-developers-keys';
import { ScopeModels } from '#people/keys/scope-models';
import { pageOf } from '#platform/http/routes/page-query';
import { constraintOf } from '#platform/database/error-fields';
import type { IdempotentCall } from '#platform/http/routes/idempotency-key';
import type {
  DelegatedKeyAnswer,
  DelegatedKeyBody,
  DelegatedKeysAnswer,
  NewDelegatedKeyAnswer,
} from './delegated-keys.dto';
import { DEPTH_MAX } from './delegation-limits';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

const NAME = 'agent key';
const SIGNED_ONCE = 'it has made a key before, and makes only one; sign a new message';

interface AppKey {
  readonly app: KeyApp;
  readonly limitMicro: number;
  readonly expiresInSeconds: number;
  readonly scopes: KeyScopes;
  readonly mark: string;
}

interface WorkKey {
  readonly id: string;
  readonly name: string;
  readonly limitMicro: number;
  readonly expiresInSeconds: number;
  readonly mark: string;
}

/**
 * Delegated keys. A key, a session or a wallet makes one, so that somebody else may spend a part of its money for a
 * time.
 */
@Injectable()
export class DelegatedKeysService {
  constructor(
    private readonly keys: KeyRepository,
    private readonly maker: KeyMaker,
    private readonly endedKeys: EndedKeyNotifier,
    private readonly reserves: KeyReserves,
    private readonly rails: Rails,
    private readonly signIn: WalletSignIn,
    private readonly models: ScopeModels,
    private readonly limits: MemberLimits,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  async create(
    owner: ProvenOwner,
    body: DelegatedKeyBody,
    request: FastifyRequest,
    call: IdempotentCall | undefined,
  ): Promise<{ readonly answer: NewDelegatedKeyAnswer; readonly repeated: boolean }> {
    const { key: parent, wallet, acting } = owner.payer;
    const isSignIn = parent === undefined && wallet !== undefined;
    const signInNonce = isSignIn ? await this.signIn.boundNonceOf(request) : undefined;
    const scopes = checkedScopes(body.scopes);
    const above = parent?.levels.flatMap((level) => level.scopes?.models ?? []) ?? [];
    this.models.refuseUnknown(scopes, { models: above });
    const id = newId('key');
    const parentage = parentageOf(parent, body.reserve === true ? id : undefined);
    for (const level of parent?.levels ?? []) refuseWiderScopes(scopes, level.scopes);
    const limits = await this.limits.on(acting);
    const draft = {
      ...this.keyOwnerOf(owner),
      id,
      maker: acting?.person.id,
      name: body.name ?? NAME,
      expiresInSeconds: await this.secondsBelow(parent, body.expiresInSeconds),
      spendLimits: { totalMicro: body.limitMicro },
      scopes,
      parentage,
      countsAgainst: body.reserve === true ? [] : limits.countsAgainst,
      signInNonce,
    };
    const maker = `${acting === undefined ? owner.id : keyScopeOf(acting)}/${parent?.id ?? ''}`;
    const { key, repeated } = await this.maker
      .make(draft, maker, call, (one) => limits.within(one))
      .catch((error: unknown) => {
        throw constraintOf(error) === 'api_key_sign_in' ? new InvalidSignIn(SIGNED_ONCE) : error;
      });
    if (body.reserve === true) await this.setAside(key, body.limitMicro, owner, limits);
    return { answer: newAnswerFor(key, body, parentage.depth), repeated };
  }

  /**
   * Makes a key for work that continues after its call, such as a batch. Its limit is reserved. Nobody sees its secret;
   * `secretsForWork` derives the secret again from the same `mark`.
   */
  async createForWork(owner: ProvenOwner, { mark, ...work }: WorkKey): Promise<void> {
    const { key: parent, acting } = owner.payer;
    const limits = await this.limits.on(acting);
    const draft = {
      ...this.keyOwnerOf(owner),
      id: work.id,
      maker: acting?.person.id,
      name: work.name,
      expiresInSeconds: await this.secondsAtMost(parent, work.expiresInSeconds),
      spendLimits: { totalMicro: work.limitMicro },
      parentage: parentageOf(parent, work.id),
    };
    const call = { mark, fingerprint: Buffer.from(work.id) };
    const { key } = await this.maker.make(draft, workMaker(owner.id), call, (one) => limits.within(one));
    await this.setAside(key, work.limitMicro, owner, limits);
  }

  secretsForWork(owner: string, mark: string): readonly string[] {
    return this.maker.secretsOf(workMaker(owner), mark);
  }

  /** Ends a key for work. The rest of its reserve is returned at once. */
  async endWork(owner: string, id: string): Promise<void> {
    if (await this.keys.delete({ owner }, id)) await this.endedKeys.notify();
  }

  /**
   * Makes the key of an app that a person has connected. Nobody gets its secret: access tokens stand for the key. The
   * same `mark` gives the same key, so a form that is sent twice makes one key.
   */
  async createForApp(acting: Acting, { mark, app, limitMicro, ...work }: AppKey): Promise<string> {
    const owner = acting.organisation.id;
    const limits = await this.limits.on(acting);
    const draft = {
      ...work,
      countsAgainst: limits.countsAgainst,
      accountId: owner,
      maker: acting.person.id,
      name: app.name,
      app,
      spendLimits: { totalMicro: limitMicro },
      parentage: parentageOf(undefined, undefined),
    };
    const call = { mark, fingerprint: Buffer.from(mark) };
    const { key } = await this.maker.make(draft, `apps of ${keyScopeOf(acting)}`, call, (one) =>
      limits.common(one),
    );
    return key.id;
  }

  /** Ends the key of an app, if it has not ended. */
  async endApp(id: string): Promise<void> {
    const found = await this.keys.ofApp(id);
    if (found !== undefined) await this.endWork(found.owner, id);
  }

  async list(owner: ProvenOwner, { limit, before }: KeyPage): Promise<DelegatedKeysAnswer> {
    const found = await this.keys.page(childrenOf(owner), { limit: limit + 1, before });
    const { page, nextCursor } = pageOf(found, limit, ({ id }) => id);
    return { keys: page.map(answerFor), nextCursor };
  }

  /** Ends a key with all keys below it. The rest of their reserves is returned at once. */
  async end(owner: ProvenOwner, id: string): Promise<void> {
    if (!(await this.keys.delete(childrenOf(owner), id)))
      throw new NotFound('You have no key below you with this id.');
    await this.endedKeys.notify();
  }

  /** Only accounts and wallets have keys. A rail of a team may prove owners of other money. */
  private keyOwnerOf({
    id,
    ledgerAccount,
    payer,
  }: ProvenOwner): { readonly wallet: WalletAddress } | { readonly accountId: string } {
    if (payer.wallet !== undefined) return { wallet: payer.wallet };
    if (ledgerAccount === creditsAccount(id)) return { accountId: id };
    const { manageKeys, signIn } = accountLinks(this.settings.http.publicUrl);
    throw new MissingCredentials(
      'Only an account or a wallet has keys and batches: send a key (x-api-key, or Bearer lp_…) or Sign-In-With-X.',
      { links: { manageKeys, signIn } },
    );
  }

  private async secondsAtMost(parent: ActingKey | undefined, seconds: number): Promise<number> {
    const left = parent && (await this.keys.secondsLeft(parent.levels.map(({ id }) => id)));
    return left === undefined ? seconds : Math.min(left, seconds);
  }

  private async secondsBelow(parent: ActingKey | undefined, seconds: number): Promise<number> {
    if (parent === undefined) return seconds;
    const left = await this.keys.secondsLeft(parent.levels.map(({ id }) => id));
    return left === undefined ? seconds : secondsBelow(left, seconds, 'expiresInSeconds');
  }

  private async setAside(
    key: NewKeySecret,
    limit: number,
    owner: ProvenOwner,
    { countsAgainst }: Binding,
  ): Promise<void> {
    const { payer, ledgerAccount } = owner;
    const amount = micro(BigInt(limit));
    const outcome = await this.reserves.setAside(key.id, amount, {
      account: ledgerAccount,
      counted: [
        ...(payer.key?.counted.split(',') ?? []),
        ...countsAgainst,
        ...(payer.budgetId === undefined ? [] : [payer.budgetId]),
      ],
      outOf: payer.key?.reserveId,
    });
    if (outcome === 'done') return;
    // No caller has received this key, so it is removed.
    await this.keys.forget(key.id);
    const { manageKeys, topUp } = accountLinks(this.settings.http.publicUrl);
    const wanted = `$${usdText(amount)} can't be reserved`;
    if (outcome === 'key-limit') {
      const why = 'that is more than a key above it, or a limited key of yours, has left of its limit';
      throw new KeySpendLimit(manageKeys, `${wanted}: ${why}. Lower the limit, or leave out reserve.`);
    }
    if (outcome === 'budget')
      throw new MemberBudgetSpent(`${wanted}: that is more than is left of your budget`);
    const balance = await this.rails.prepaid(payer.rail).balance(payer);
    // A key with a reserve can pass on only that money, so a top-up would not help.
    const way = payer.key?.reserveId === undefined ? 'Top up, lower the limit' : 'Lower the limit';
    const message = `${wanted}: the balance is $${usdText(balance)}. ${way}, or leave out reserve.`;
    throw new InsufficientFunds(amount, balance, { links: { topUp } }, message);
  }
}

/** The maker of keys for work. No caller has such a name, so no caller can get the key by an idempotency key. */
const workMaker = (owner: string): string => `work of ${owner}`;

const parentageOf = (parent: ActingKey | undefined, ownReserve: string | undefined): KeyParentage => {
  const depth = (parent?.depth ?? 0) + 1;
  if (depth > DEPTH_MAX) {
    throw new InvalidRequest(
      `Keys can be delegated ${DEPTH_MAX} levels deep, and this key is at the last level. Use a key of a level above.`,
    );
  }
  return {
    parentId: parent?.id,
    above: parent?.levels.map(({ id }) => id) ?? [],
    // The whole reserve already counts at the keys above, so the spending of this key must not count there again.
    countedAbove: ownReserve === undefined ? (parent?.counted.split(',') ?? []) : [],
    depth,
    reserveId: ownReserve ?? parent?.reserveId,
    secretAbove: parent?.secret,
  };
};

/** The delegated keys that a caller sees: a key sees those below it, and a session or a wallet sees all of its own. */
const childrenOf = ({ id, payer: { key, acting } }: ProvenOwner): KeysOf =>
  key === undefined
    ? { owner: id, delegated: true, maker: acting && onlyMaker(acting) }
    : { owner: id, below: key.id };

const newAnswerFor = (
  { id, name, prefix, secret, expiresAt, scopes = {} }: NewKeySecret,
  { limitMicro, reserve = false }: DelegatedKeyBody,
  depth: number,
): NewDelegatedKeyAnswer => ({
  id,
  name,
  prefix,
  key: secret,
  limitMicro,
  spentMicro: 0,
  expiresAt: expiresAt?.toISOString() ?? null,
  depth,
  scopes,
  reserve,
});

const answerFor = (key: UsedKey): DelegatedKeyAnswer => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  limitMicro: ifPresent(key.totalLimit, microToJson) ?? Number.MAX_SAFE_INTEGER,
  spentMicro: microToJson(key.spent),
  expiresAt: key.expiresAt?.toISOString() ?? null,
  depth: key.depth,
  scopes: key.scopes ?? {},
  reserve: key.reserveId === key.id,
  state: key.state,
  createdAt: key.createdAt.toISOString(),
  parentId: key.parentId,
  reserveLeftMicro: ifPresent(key.reserveLeft, microToJson),
  requestCount: key.requestCount,
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  app: key.app,
});
