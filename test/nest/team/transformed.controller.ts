import { Body, Controller, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsDate, IsInt, IsString, Max, Min } from 'class-validator';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { NoSlipOf } from '#platform/http/routes/fields';
import { DOCUMENTED, NoteAnswer, NoteBody, note } from './team.controllers';

/** A body with all that class-transformer teaches. */
export class FrameBody {
  @IsString()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  readonly title: string;
  @IsDate()
  @Type(() => Date)
  readonly from: Date;
  @IsInt()
  @Min(1, { message: 'A frame is at least one pixel wide.' })
  @Max(100)
  readonly size: number = 5;

  area(): number {
    return this.size ** 2;
  }
}

/** A paid body with restrictions and a default of its own. */
@NoSlipOf('style')
class StyledBody extends NoteBody {
  @IsString() readonly style: string = 'plain';
}

@ApiExcludeController()
@Controller('v1/team/transformed')
export class TeamTransformedController {
  @Post()
  make(@Body() body: FrameBody): object {
    return { title: body.title, year: body.from.getUTCFullYear(), area: body.area() };
  }

  @Post('paid')
  @Paid({ ...note('transformed'), body: StyledBody }, DOCUMENTED)
  paid(@Call() { body }: PaidCall<StyledBody>): NoteAnswer {
    return { text: body.style };
  }
}
