import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { Deprecated } from '#platform/http/routes/deprecation';
import { TextField } from '#platform/http/routes/fields';
import { DOCUMENTED, NoteAnswer, NoteBody, note } from './team.controllers';

export class OldQuery {
  @TextField({ max: 20, optional: true })
  @Deprecated({ since: '2026-12-01', sunset: '2027-12-01', instead: 'name' })
  readonly title?: string;
  @TextField({ max: 20, optional: true }) readonly name?: string;
}

export class OldBody extends NoteBody {
  @Deprecated({ since: '2026-12-01', sunset: '2028-01-01', instead: 'name' })
  @TextField({ max: 20, optional: true, about: 'The old name.' })
  readonly title?: string;
}

/** Routes and fields that a team announces the end of. */
@ApiTags('team-deprecated')
@Controller('v1/team/deprecated')
export class TeamDeprecatedController {
  @Get('route')
  @Deprecated({ since: '2026-12-01', sunset: '2027-12-01', instead: '/v1/team/deprecated/fields' })
  @ApiOperation({ summary: 'An old route.', operationId: 'teamOldRoute', description: 'It greets.' })
  @ApiOkResponse({ type: NoteAnswer })
  old(): NoteAnswer {
    return { text: 'served' };
  }

  @Post('fields')
  @HttpCode(200)
  @ApiOperation({ summary: 'Old fields.', operationId: 'teamOldFields' })
  @ApiOkResponse({ type: NoteAnswer })
  fields(@Query() { title = 'none' }: OldQuery, @Body() body: OldBody): NoteAnswer {
    return { text: `${title} ${body.name}` };
  }

  @Post('paid')
  @Deprecated({ since: '2026-12-01', sunset: '2029-12-01', instead: '/v1/team/plain' })
  @Paid({ ...note('deprecated_paid'), body: OldBody }, DOCUMENTED)
  paid(@Call() { body }: PaidCall<OldBody>): NoteAnswer {
    return { text: body.name };
  }
}
