import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { callerOf } from '#platform/http/limits/caller-address';
import { BodyAdmission, type Admission } from '#platform/http/body/body-admission';
import { MEDIA_BYTES_MAX } from '#platform/media/media-kind';
import { Payers } from './payers';
import { Rails } from './rails';

declare module '#platform/http/routes/route' {
  interface AdmissionChecks {
    /** The caller can pay for the call. */
    readonly payer: true;
  }
}

/**
 * Decides whether a caller could pay for any call, before the service receives a large body. The price of the call is
 * not known yet. A later step and the hold check whether the balance covers the price.
 */
@Injectable()
export class PayerAdmission implements OnModuleInit {
  constructor(
    private readonly admission: BodyAdmission,
    private readonly rails: Rails,
    private readonly payers: Payers,
  ) {}

  onModuleInit(): void {
    this.admission.register('payer', (request) => this.check(request), { isDefault: true });
  }

  private async check(request: FastifyRequest): Promise<Admission> {
    const backer = await this.payers.backing(this.rails.claiming(request), request);
    return backer === undefined
      ? { isProven: false, mediaBytesMax: 0, owner: callerOf(request) }
      : { isProven: true, mediaBytesMax: MEDIA_BYTES_MAX.video, owner: backer };
  }
}
