import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { personOf } from '#people/keys/visible-rows';
import { accountLinks } from '#people/accounts/account-links';
import { Owners, type ProvenOwner } from '#money/billing/calls/owners';
import { InvalidRequest, NotFound } from '#kernel/app-error';
import { newId } from '#kernel/ids';
import { constraintOf } from '#platform/database/error-fields';
import { streamedFormOf } from '#platform/http/body/form-body';
import { idempotencyKeyOf } from '#platform/http/routes/idempotency-key';
import type { BatchFile } from './batch-file.entity';
import { BatchFileRepository, type SealedLine } from './batch-file.repository';
import { FILES_OF_OWNER_MAX, FILE_BYTES_MAX, FILE_DAYS } from './batch-limits';
import { type TextLine, readUpload } from './batch-upload';
import { BatchVault } from './batch-vault';
import { FileInUse, FilesNotFree, TooManyBatches } from './batches.errors';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';
import { IdempotencyMismatch } from '#platform/http/routes/routes.errors';

const PAGE_LINES = 200;

/** Developers can't find each other's files and batches by an idempotency key. */
export const ownMark = ({ view }: ProvenOwner, mark: string | undefined): string | undefined =>
  mark === undefined || view.onlyMember === undefined ? mark : `${view.onlyMember} ${mark}`;

export const noSuchFile = (param?: string): NotFound =>
  new NotFound('You have no file with this id.', { param });

/** Files of JSON lines: those that owners upload, and the answers of their batches. */
@Injectable()
export class BatchFilesService {
  constructor(
    private readonly files: BatchFileRepository,
    private readonly vault: BatchVault,
    private readonly owners: Owners,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  /** Stores the file of a form while it is received. */
  async upload(owner: ProvenOwner, request: FastifyRequest): Promise<BatchFile> {
    const mark = ownMark(owner, idempotencyKeyOf(request));
    const form = streamedFormOf(request);
    if (form === undefined)
      throw new InvalidRequest('Send a multipart form with purpose and file.', { param: 'file' });
    if (!(await this.owners.hasPaid(owner)))
      throw new FilesNotFree(accountLinks(this.settings.http.publicUrl).topUp);
    const id = newId('file');
    const draft = {
      id,
      owner: owner.id,
      keyId: owner.view.onlyKey,
      memberId: personOf(owner.payer),
      bytes: FILE_BYTES_MAX,
    };
    if (!(await this.files.open(draft, FILE_DAYS, FILES_OF_OWNER_MAX))) {
      throw new TooManyBatches(
        `You keep ${FILES_OF_OWNER_MAX.filesMax} files, or 500 MB, which is all you can. Delete one.`,
      );
    }
    let hash: Buffer | undefined;
    try {
      const store = (lines: readonly TextLine[]): Promise<void> =>
        this.files.addLines(
          id,
          lines.map(({ line, text }) => ({ line, sealed: this.vault.seal(owner.id, text) })),
        );
      const uploaded = await readUpload(form, request.headers['content-type'] ?? '', store);
      const { purpose, filename, bytes, lines } = uploaded;
      hash = uploaded.hash;
      if (purpose !== 'batch') throw new InvalidRequest('purpose must be batch.', { param: 'purpose' });
      return await this.files.close(id, {
        filename: nameFrom(filename),
        bytes,
        lines,
        mark,
        contentHash: hash,
      });
    } catch (error) {
      await this.files.delete(id);
      if (mark === undefined || constraintOf(error) !== 'batch_file_mark') throw error;
      // A repeated upload: the first one has stored the file.
      const before = await this.files.markedBy(owner.view, mark);
      if (before === undefined) throw error;
      if (hash === undefined || before.contentHash?.equals(hash) !== true) throw new IdempotencyMismatch();
      return before;
    }
  }

  async find(owner: ProvenOwner, id: string): Promise<BatchFile> {
    const file = await this.files.find(owner.view, id);
    if (file === undefined) throw noSuchFile();
    return file;
  }

  list(owner: ProvenOwner, limit: number): Promise<readonly BatchFile[]> {
    return this.files.list(owner.view, limit);
  }

  async delete(owner: ProvenOwner, id: string): Promise<void> {
    const file = await this.find(owner, id);
    if (!(await this.files.delete(id))) throw new FileInUse();
    if (file.batchId !== undefined) await this.files.dropAnswers(file);
  }

  /** The text of a file, a page of lines at a time. */
  async *content(file: BatchFile): AsyncGenerator<string> {
    let isFirst = true;
    for await (const lines of this.pages(file)) {
      const text = lines.map((line) => line.text).join('\n');
      // The last line of an uploaded file gets no line break; the last line of an answer file gets one.
      yield file.purpose === 'batch' ? `${isFirst ? '' : '\n'}${text}` : `${text}\n`;
      isFirst = false;
    }
  }

  async *pages(file: BatchFile): AsyncGenerator<readonly TextLine[]> {
    let after = 0;
    for (;;) {
      const page: readonly SealedLine[] =
        file.batchId === undefined
          ? await this.files.lines(file.id, after, PAGE_LINES)
          : await this.files.answers(file, after, PAGE_LINES);
      if (page.length === 0) return;
      after = page.at(-1)!.line;
      yield page.map(({ line, sealed }) => ({ line, text: this.vault.open(file.owner, sealed) }));
    }
  }
}

/** A name without control characters, of a length that lists can show. */
const nameFrom = (given: string): string => {
  const name = given.replaceAll(/[\p{C}]/gu, '').slice(0, 200);
  return name === '' ? 'file.jsonl' : name;
};
