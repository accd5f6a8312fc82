import { Readable } from 'node:stream';

import { Injectable, StreamableFile } from '@nestjs/common';

import { ExportRuns } from './answers.errors';

/** After this time, an export no longer counts, even if its end was not noticed. */
const FORGOTTEN_MS = 10 * 60_000;

/** Files for spreadsheets. They read many rows, so each process writes one at a time for each owner. */
@Injectable()
export class CsvExports {
  private readonly running = new Map<string, number>();

  file(owner: string, name: string, lines: AsyncGenerator<string>): StreamableFile {
    const begun = Date.now();
    if ((this.running.get(owner) ?? 0) > begun - FORGOTTEN_MS) throw new ExportRuns();
    this.running.set(owner, begun);
    const stream = Readable.from(lines);
    stream.once('close', () => {
      if (this.running.get(owner) === begun) this.running.delete(owner);
    });
    return new StreamableFile(stream, {
      type: 'text/csv; charset=utf-8',
      disposition: `attachment; filename="${name}"`,
    });
  }
}
