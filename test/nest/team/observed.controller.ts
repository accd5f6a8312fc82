import { Controller, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';

import { notesSold } from './team.metrics';

/** A team's own metrics. */
@ApiExcludeController()
@Controller('v1/team/observed')
export class TeamObservedController {
  @Post('counted')
  counted(): { counted: true } {
    notesSold.inc({ colour: 'red' });
    return { counted: true };
  }
}
