import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { accountLinks } from '#people/accounts/account-links';
import { Owners, type ProvenOwner } from '#money/billing/calls/owners';
import { SigningKeys } from '#platform/config/signing-keys';
import { callerOf } from '#platform/http/limits/caller-address';
import { BodyAdmission, type Admission } from '#platform/http/body/body-admission';
import { MEDIA_BYTES_MAX } from '#platform/media/media-kind';
import { FREE_BYTES_MAX, FREE_MAX } from './reference-limits';
import { ReferenceRepository } from './reference.repository';
import { FreeReferencesSpent, SearchNotFree } from './references.errors';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

declare module '#platform/http/routes/route' {
  interface AdmissionChecks {
    /** The caller owns references, or may store one. */
    readonly owner: true;
  }
}

/** The size that an owner may store, and whether it is free. */
export interface Allowance {
  readonly bytesMax: number;
  /**
   * The hashed address of an owner who has never paid; absent if the owner has paid. Free references count against the
   * owner and against this address.
   */
  readonly freeCaller?: string;
}

const ALL: Allowance = { bytesMax: Math.max(...Object.values(MEDIA_BYTES_MAX)) };

/** The free tier of references: an owner who has never paid stores a few, for a day. */
@Injectable()
export class ReferenceAllowances implements OnModuleInit {
  constructor(
    private readonly admission: BodyAdmission,
    private readonly owners: Owners,
    private readonly references: ReferenceRepository,
    private readonly keys: SigningKeys,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  onModuleInit(): void {
    this.admission.register('owner', (request) => this.check(request));
  }

  /** Refuses an owner who has used up the free references, before the service fetches a file. */
  async allowance(owner: ProvenOwner, request: FastifyRequest): Promise<Allowance> {
    if (await this.owners.hasPaid(owner)) return ALL;
    const freeCaller = this.nameOf(request);
    if ((await this.references.mostFree(owner.id, freeCaller)) >= FREE_MAX) throw this.spent();
    return { bytesMax: FREE_BYTES_MAX, freeCaller };
  }

  spent(cause?: unknown): FreeReferencesSpent {
    return new FreeReferencesSpent(accountLinks(this.settings.http.publicUrl).topUp, cause);
  }

  /** Refuses an owner who has never paid, for an operation that costs us money each time. */
  async requirePaid(owner: ProvenOwner): Promise<void> {
    if (!(await this.owners.hasPaid(owner)))
      throw new SearchNotFree(accountLinks(this.settings.http.publicUrl).topUp);
  }

  private async check(request: FastifyRequest): Promise<Admission> {
    const owner = await this.owners.ownerIn(request, 'references');
    if (await this.owners.hasPaid(owner))
      return { isProven: true, mediaBytesMax: MEDIA_BYTES_MAX.video, owner: owner.id };
    const { bytesMax } = await this.allowance(owner, request);
    return { isProven: false, mediaBytesMax: bytesMax, owner: callerOf(request) };
  }

  /** The database stores an address only as a keyed hash. */
  private nameOf(request: FastifyRequest): string {
    return this.keys.sign('callers', callerOf(request)).toString('base64url');
  }
}
