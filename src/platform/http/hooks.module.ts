import { Module } from '@nestjs/common';

import { HttpHooks } from './hooks';

/** By itself, so that whatever HTTP is made from may take a step, too. */
@Module({ providers: [HttpHooks], exports: [HttpHooks] })
export class HooksModule {}
