import { Controller, Get, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle, Throttle, ThrottlerGuard } from '@nestjs/throttler';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { NoteAnswer, NoteBody, DOCUMENTED, note } from './team.controllers';

const MINUTE = 60_000;

/** Rate limits of a team's routes, set as in the throttler's documentation. */
@ApiExcludeController()
@Controller('v1/team/throttled')
export class TeamThrottledController {
  @Get('free')
  @Throttle({ default: { limit: 2, ttl: MINUTE } })
  free(): string {
    return 'served';
  }

  @Get('skipped')
  @SkipThrottle()
  skipped(): string {
    return 'served';
  }

  @Get('by-library')
  @UseGuards(ThrottlerGuard)
  @Throttle({ default: { limit: 3, ttl: MINUTE }, address: { limit: 100, ttl: MINUTE } })
  byLibrary(): string {
    return 'served';
  }

  @Post('payer')
  @Throttle({ payer: { limit: 2, ttl: 30_000 } })
  @Paid({ ...note('throttled_payer'), body: NoteBody }, DOCUMENTED)
  payer(@Call() { body }: PaidCall<NoteBody>): NoteAnswer {
    return { text: body.name };
  }

  @Post('function')
  @Throttle({ payer: { limit: () => 1, ttl: MINUTE } })
  @Paid({ ...note('throttled_function'), body: NoteBody }, DOCUMENTED)
  byFunction(@Call() { body }: PaidCall<NoteBody>): NoteAnswer {
    return { text: body.name };
  }

  @Post('unlimited')
  @SkipThrottle({ payer: true })
  @Paid({ ...note('throttled_unlimited'), body: NoteBody }, DOCUMENTED)
  unlimited(@Call() { body }: PaidCall<NoteBody>): NoteAnswer {
    return { text: body.name };
  }
}
