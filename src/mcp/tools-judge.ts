import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Rails } from '../billing/rails/rails';
import { Door, type Standing } from '../platform/http/body/door';
import { MEDIA_BYTES_MAX } from '../platform/media/media-kind';

/**
 * Says how much a message may bring before it is known which tool it calls. A payment of this protocol comes inside of
 * the body, behind the medium that it is for: without a credential in the headers the medium is put aside, unread, in the
 * strangers' places, and the tool's route decides.
 */
@Injectable()
export class ToolsJudge implements OnModuleInit {
  constructor(
    private readonly door: Door,
    private readonly rails: Rails,
  ) {}

  onModuleInit(): void {
    this.door.judge('tools', (request) => this.judge(request));
  }

  private async judge(request: FastifyRequest): Promise<Standing> {
    const payer = await this.door.judgementOf('payer', request);
    if (payer.isProven) return payer;
    if (this.rails.claiming(request) === undefined) return { ...payer, mediaBytesMax: MEDIA_BYTES_MAX.image };
    const { mediaBytesMax } = await this.door.judgementOf('owner', request);
    return { ...payer, mediaBytesMax };
  }
}
