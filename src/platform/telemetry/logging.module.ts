import { Module } from '@nestjs/common';

import { SETTINGS, type Settings } from '../config/settings';
import { ServiceLog, createLog } from './log';

/** The one log of the process; `main` hands it to Nest with `app.useLogger`. */
@Module({
  providers: [
    {
      provide: ServiceLog,
      inject: [SETTINGS],
      useFactory: (settings: Settings): ServiceLog => new ServiceLog(createLog(settings)),
    },
  ],
  exports: [ServiceLog],
})
export class LoggingModule {}
