import { setTimeout as pause } from 'node:timers/promises';

import { Controller, Get, Inject, Logger, Post } from '@nestjs/common';
import { ConfigService, type ConfigType } from '@nestjs/config';
import { trace } from '@opentelemetry/api';
import { ApiExcludeController } from '@nestjs/swagger';

import { teamConfig } from './team.config';
import { notesSold } from './team.metrics';

const tracer = trace.getTracer('team');

/** Settings, metrics, spans and log lines that a team adds. */
@ApiExcludeController()
@Controller('v1/team/observed')
export class TeamObservedController {
  private readonly logger = new Logger(TeamObservedController.name);

  constructor(
    @Inject(teamConfig.KEY) private readonly settings: ConfigType<typeof teamConfig>,
    private readonly config: ConfigService,
  ) {}

  @Get('settings')
  read(): object {
    const { TEAM_NOTES_MAX: notesMax, TEAM_SHARES: shares } = this.settings;
    return { notesMax, shares, role: this.config.get<string>('lamppost.role') };
  }

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
