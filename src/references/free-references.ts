import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';

import { accountLinks } from '../accounts/account-links';
import { Owners, type ProvenOwner } from '../billing/calls/owners';
import { AccountFunds } from '../billing/ledger/account-funds';
import { SETTINGS, type Settings } from '../platform/config/settings';
import { SigningKeys } from '../platform/config/signing-keys';
import { giveBackPlace } from '../platform/http/limits/address-limits';
import { callerOf } from '../platform/http/limits/caller-address';
import { Door, type Standing } from '../platform/http/body/door';
import { MEDIA_BYTES_MAX } from '../platform/media/media-kind';
import { FREE_MAX } from './reference';
import { ReferenceRepository } from './reference.repository';
import { FreeReferencesSpent, SearchNotFree } from './references.errors';

/** The largest reference of an owner who has never paid. */
const FREE_BYTES_MAX = 1024 * 1024;
const PAID_MAX = 10_000;

/** What an owner may store: anything, or so much for free. */
export interface Allowance {
  readonly bytesMax: number;
  /** Whom the free ones are counted under, beside their owner; absent where nothing is free. */
  readonly freeCaller?: string;
}

const ALL: Allowance = { bytesMax: Math.max(...Object.values(MEDIA_BYTES_MAX)) };

/** References for free, but little: who has never paid stores a few, for a day. */
@Injectable()
export class FreeReferences implements OnModuleInit {
  /** Whoever has paid once has paid for ever. */
  private readonly paid = new LRUCache<string, true>({ max: PAID_MAX });

  constructor(
    private readonly door: Door,
    private readonly owners: Owners,
    private readonly funds: AccountFunds,
    private readonly references: ReferenceRepository,
    private readonly keys: SigningKeys,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    this.door.judge('owner', (request) => this.judge(request));
  }

  /** An owner who has paid is no guess: others behind the same address may have the place. */
  async welcome(owner: ProvenOwner, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (await this.hasPaid(owner)) giveBackPlace(request, reply);
  }

  /** Refuses who has stored all that is free, before anything is fetched for them. */
  async allowance(owner: ProvenOwner, request: FastifyRequest): Promise<Allowance> {
    if (await this.hasPaid(owner)) return ALL;
    const freeCaller = this.nameOf(request);
    if ((await this.references.mostFree(owner.id, freeCaller)) >= FREE_MAX) throw this.spent();
    return { bytesMax: FREE_BYTES_MAX, freeCaller };
  }

  spent(cause?: unknown): FreeReferencesSpent {
    return new FreeReferencesSpent(accountLinks(this.settings.http.publicUrl).topUp, cause);
  }

  /** For what costs us money each time. */
  async requirePaid(owner: ProvenOwner): Promise<void> {
    if (!(await this.hasPaid(owner)))
      throw new SearchNotFree(accountLinks(this.settings.http.publicUrl).topUp);
  }

  private async judge(request: FastifyRequest): Promise<Standing> {
    const owner = await this.owners.ownerIn(request);
    if (await this.hasPaid(owner)) {
      return { isProven: true, mediaBytesMax: MEDIA_BYTES_MAX.video, owner: owner.id };
    }
    const { bytesMax } = await this.allowance(owner, request);
    return { isProven: false, mediaBytesMax: bytesMax, owner: callerOf(request) };
  }

  private async hasPaid({ id, ledgerAccount }: ProvenOwner): Promise<boolean> {
    if (this.paid.has(id)) return true;
    if (!(await this.funds.hasPaid(ledgerAccount))) return false;
    this.paid.set(id, true);
    return true;
  }

  /** Addresses are not kept as they are. */
  private nameOf(request: FastifyRequest): string {
    return this.keys.sign('callers', callerOf(request)).toString('base64url');
  }
}
