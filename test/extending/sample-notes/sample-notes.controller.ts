import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { SampleNotesAnswer, SampleNotesBody } from './sample-notes.dto';
import { SampleNotesService } from './sample-notes.service';

@ApiTags('sample-notes')
@Controller('v1/sample-notes')
export class SampleNotesController {
  constructor(private readonly service: SampleNotesService) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({ summary: 'Counts the words of a text.', operationId: 'sampleNotes' })
  @ApiOkResponse({ type: SampleNotesAnswer })
  measure(@Body() body: SampleNotesBody): SampleNotesAnswer {
    return this.service.measure(body);
  }
}
