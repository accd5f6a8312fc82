import { setTimeout as pause } from 'node:timers/promises';

import {
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpException,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import { ApiExcludeController, ApiOperation, ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  Validate,
} from 'class-validator';

import { Paid } from '#money/billing/calls/paid';
import { Call, type PaidCall } from '#money/billing/calls/paid-call';
import { PaidBody } from '#money/billing/calls/paid-body';
import { declareOperation } from '#money/billing/charges/operation';
import {
  CaseInterceptor,
  Dropped,
  DroppedFilter,
  EvenLength,
  OpenHeaderGuard,
  TeamHeader,
  Trail,
  TrimPipe,
} from './team.enhancers';
import { NotePreparer } from './note.preparer';
import { NotePricer } from './note.pricer';

export class NoteBody extends PaidBody {
  @ApiProperty() @IsString() @MaxLength(12) readonly name: string;
  @ApiProperty({ required: false }) @IsOptional() @IsInt() @Min(1) @Max(9) readonly copies?: number | null;
}

export class OddBody extends NoteBody {
  @ApiProperty() @Validate(EvenLength) readonly even: string;
}

export class NoteAnswer {
  @ApiProperty() readonly text: string;
}

class FreeBody {
  @IsString() @Matches(/^[a-z]+$/) readonly word: string;
  @IsIn(['a', 'b'], { message: 'Choose a or b.' }) readonly choice: string;
  @IsString({ each: true }) @ArrayMaxSize(2) readonly tags: readonly string[];
}

const EXAMPLE = { body: { name: 'a note' }, answer: { text: 'a note' } };
export const note = (name: string) =>
  ({
    operation: declareOperation({ name: `team_${name}`, sold: 'One note.' }),
    pricer: NotePricer,
    limit: 'chat',
    runSecondsMax: 5,
    replaySeconds: 60,
    bodyBytesMax: 4_096,
    generates: false,
    example: EXAMPLE,
  }) as const;
export const DOCUMENTED = {
  price: { min: '0.001', max: '0.001' },
  answers: [NoteAnswer],
} as const;

/** Paid routes of a team. Each uses a feature that Nest's documentation teaches. */
@ApiExcludeController()
@Controller('v1/team')
export class TeamPaidController {
  constructor(private readonly trail: Trail) {}

  @Post('plain')
  @Paid({ ...note('plain'), body: NoteBody }, DOCUMENTED)
  @ApiOperation({ summary: 'A note.', operationId: 'teamPlain' })
  plain(@Call() { body }: PaidCall<NoteBody>): NoteAnswer {
    this.trail.add('method');
    return { text: body.name };
  }

  @Post('guarded')
  @UseGuards(OpenHeaderGuard)
  @Paid({ ...note('guarded'), body: NoteBody }, DOCUMENTED)
  guarded(@Call() { body }: PaidCall<NoteBody>): NoteAnswer {
    return { text: body.name };
  }

  @Post('intercepted')
  @UseInterceptors(CaseInterceptor)
  @Paid({ ...note('intercepted'), body: NoteBody }, DOCUMENTED)
  intercepted(@Call() { body }: PaidCall<NoteBody>): NoteAnswer {
    return { text: body.name };
  }

  @Post('filtered')
  @Paid({ ...note('filtered'), body: NoteBody }, DOCUMENTED)
  @UseFilters(DroppedFilter)
  filtered(): NoteAnswer {
    throw new Dropped();
  }

  @Post('piped')
  @Paid({ ...note('piped'), body: NoteBody }, DOCUMENTED)
  @UsePipes(TrimPipe)
  piped(@Body() body: NoteBody, @TeamHeader() header: string, @Call() call: PaidCall<NoteBody>): NoteAnswer {
    return { text: `${body.name}|${header}|${call.payer?.rail}` };
  }

  @Post('odd')
  @Paid({ ...note('odd'), body: OddBody }, DOCUMENTED)
  odd(@Call() { body }: PaidCall<OddBody>): NoteAnswer {
    return { text: body.even };
  }

  @Post('prepared')
  @Paid({ ...note('prepared'), body: NoteBody, prepare: NotePreparer }, DOCUMENTED)
  prepared(@Call() { body }: PaidCall<NoteBody>): NoteAnswer {
    return { text: `${body.name} ${body.copies}` };
  }

  @Post('traced')
  @Paid({ ...note('traced'), body: NoteBody }, DOCUMENTED)
  traced(@Call() { body }: PaidCall<NoteBody>): Promise<NoteAnswer> {
    return trace.getTracer('team').startActiveSpan('write the note', async (span) => {
      await pause(1);
      span.end();
      return { text: body.name };
    });
  }

  @Post('conflict')
  @Paid({ ...note('conflict'), body: NoteBody }, DOCUMENTED)
  conflict(): NoteAnswer {
    throw new HttpException('The note is locked.', 409);
  }
}

/** Free routes of a team. */
@ApiExcludeController()
@Controller('v1/team/free')
export class TeamFreeController {
  @Post('words')
  words(@Body() body: FreeBody): FreeBody {
    return body;
  }

  @Get('fail/:status')
  fail(@Param('status', ParseIntPipe) status: number, @Query('code') code?: string): never {
    if (status === 404) throw new NotFoundException('No such note.');
    if (status === 400) throw new BadRequestException('name is bad');
    throw new HttpException(
      code === undefined ? 'As asked.' : { message: 'As asked.', code, param: 'status' },
      status,
    );
  }

  @Get('guarded')
  @UseGuards(OpenHeaderGuard)
  guarded(): { open: true } {
    return { open: true };
  }

  @Get('dropped')
  dropped(): never {
    throw new Dropped();
  }
}
