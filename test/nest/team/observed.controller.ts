import { setTimeout as pause } from 'node:timers/promises';

import { Controller, Logger, Post } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import { ApiExcludeController } from '@nestjs/swagger';

import { notesSold } from './team.metrics';

const tracer = trace.getTracer('team');

/** A team's own metrics, spans and lines of the log. */
@ApiExcludeController()
@Controller('v1/team/observed')
export class TeamObservedController {
  private readonly logger = new Logger(TeamObservedController.name);

  @Post('logged')
  async logged(): Promise<{ logged: true }> {
    await pause(1);
    this.logger.log('A note is logged.');
    return { logged: true };
  }

  @Post('traced')
  traced(): Promise<{ traced: boolean }> {
    return tracer.startActiveSpan('make a note', async (span) => {
      await pause(1);
      tracer.startSpan('fold the note').end();
      span.end();
      return { traced: true };
    });
  }

  @Post('counted')
  counted(): { counted: true } {
    notesSold.inc({ colour: 'red' });
    return { counted: true };
  }
}
