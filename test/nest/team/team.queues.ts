import { BullModule, InjectQueue, Processor, WorkerHost } from '@nestjs/bullmq';
import { Injectable, Module } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';

const NOTES = 'notes';

/** The jobs that ran, in order. */
@Injectable()
export class Ran {
  readonly jobs: string[] = [];
}

@Processor(NOTES)
class NotesProcessor extends WorkerHost {
  constructor(private readonly ran: Ran) {
    super();
  }

  override process({ name }: Job): Promise<void> {
    this.ran.jobs.push(name);
    return Promise.resolve();
  }
}

/** Scheduled work of a team. */
@Injectable()
class NoteSweepProcessor extends ScheduledProcessor {
  readonly name = 'note-sweep';
  readonly everyMs = 1_000;

  constructor(private readonly ran: Ran) {
    super();
  }

  run(): Promise<void> {
    this.ran.jobs.push(this.name);
    return Promise.resolve();
  }
}

@Injectable()
export class Notes {
  constructor(@InjectQueue(NOTES) readonly queue: Queue) {}
}

@Module({
  imports: [BullModule.registerQueue({ name: NOTES })],
  providers: [Ran, NotesProcessor, NoteSweepProcessor, Notes],
})
export class TeamQueuesModule {}
