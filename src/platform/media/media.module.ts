import { Module } from '@nestjs/common';

import { BackgroundModule } from '../background/background.module';
import { HttpModule } from '../http/http.module';
import { MediaIntake } from './media-intake';
import { Uploads } from './uploads';

/** Takes in the media of callers. */
@Module({
  imports: [BackgroundModule, HttpModule],
  providers: [MediaIntake, Uploads],
  exports: [MediaIntake],
})
export class MediaModule {}
