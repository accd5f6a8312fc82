import { Injectable } from '@nestjs/common';

import type { SampleNotesAnswer, SampleNotesBody } from './sample-notes.dto';

@Injectable()
export class SampleNotesService {
  measure({ text }: SampleNotesBody): SampleNotesAnswer {
    return { words: text.split(/\s+/).filter(Boolean).length };
  }
}
