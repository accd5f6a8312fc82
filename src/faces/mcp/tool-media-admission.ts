import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Rails } from '#money/billing/rails/rails';
import { BodyAdmission, type Admission } from '#platform/http/body/body-admission';
import { MEDIA_BYTES_MAX } from '#platform/media/media-kind';
import { McpAccess } from './mcp-access';

declare module '#platform/http/routes/route' {
  interface AdmissionChecks {
    /** The caller can pay for a tool, or store a reference. */
    readonly tools: true;
  }
}

/**
 * Decides about the media of a message before its tool is known. An MCP payment is inside the body, after the medium.
 * So without a credential in the headers, the service stores an image in the slots of unproven callers, and the tool's
 * route decides later.
 */
@Injectable()
export class ToolMediaAdmission implements OnModuleInit {
  constructor(
    private readonly admission: BodyAdmission,
    private readonly rails: Rails,
    private readonly access: McpAccess,
  ) {}

  onModuleInit(): void {
    this.admission.register('tools', (request) => this.check(request));
  }

  private async check(request: FastifyRequest): Promise<Admission> {
    await this.access.pass(request);
    const payer = await this.admission.checkBy('payer', request);
    if (payer.isProven) return payer;
    if (this.rails.claiming(request) === undefined) return { ...payer, mediaBytesMax: MEDIA_BYTES_MAX.image };
    const { mediaBytesMax } = await this.admission.checkBy('owner', request);
    return { ...payer, mediaBytesMax };
  }
}
