import { Module } from '@nestjs/common';

import { HttpModule } from '../http/http.module';
import { MediaIntake } from './media-intake';
import { Uploads } from './uploads';

/** How callers' media come in. */
@Module({ imports: [HttpModule], providers: [MediaIntake, Uploads], exports: [MediaIntake] })
export class MediaModule {}
