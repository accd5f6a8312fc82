import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { NotFound } from '#kernel/app-error';
import { FlagField, TextField, WhenField } from '#platform/http/routes/fields';
import { PublicRoute } from '#platform/openapi/docs';
import { ApiFailures } from '#platform/openapi/failures';
import { ProvenanceRepository } from './provenance.repository';
import { InDocument } from '#platform/openapi/audience';

export class ProvenanceAnswer {
  @TextField({ max: 100, about: 'The id of the model that made it.' }) readonly model: string;
  @WhenField() readonly createdAt: string;
  @FlagField() readonly aiGenerated: boolean;
  @TextField({ max: 64, about: 'The SHA-256 of the file that the service delivered, in hex.' })
  readonly sha256: string;
}

/** Answers questions about a file that was made here. The answer leads to no job, no charge and no caller. */
@ApiTags('generation')
@InDocument('crawlers')
@Controller('v1/agent/provenance')
export class ProvenanceController {
  constructor(private readonly provenances: ProvenanceRepository) {}

  @Get(':id')
  @Header('cache-control', 'public, max-age=86400')
  @PublicRoute()
  @ApiOperation({ summary: 'The origin of a file.', operationId: 'getProvenance' })
  @ApiOkResponse({ type: ProvenanceAnswer })
  @ApiFailures(404)
  async provenance(@Param('id') id: string): Promise<ProvenanceAnswer> {
    const found = await this.provenances.find(id);
    if (found === undefined) {
      throw new NotFound('Nothing that was made here has this provenance id.');
    }
    return {
      model: found.modelId,
      createdAt: found.createdAt.toISOString(),
      aiGenerated: true,
      sha256: found.sha256.toString('hex'),
    };
  }
}
