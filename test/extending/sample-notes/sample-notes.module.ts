import { Module } from '@nestjs/common';

import { SampleNotesController } from './sample-notes.controller';
import { SampleNotesService } from './sample-notes.service';

@Module({
  controllers: [SampleNotesController],
  providers: [SampleNotesService],
})
export class SampleNotesModule {}
