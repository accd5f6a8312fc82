import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

import { BY_USE } from '#work/chat/compatible/compatible-route';
import { InvalidRequest } from '#kernel/app-error';
import { readMultipart } from '#platform/http/body/multipart';
import { noFile } from '#platform/http/body/body.errors';
import { FILE_BYTES_MAX, FILE_LINES_MAX } from './batch-limits';
import { FileTooLarge } from './batches.errors';

const LINE_BYTES_MAX = BY_USE.bodyBytesMax;
const FIELDS_MAX = 10;
const FIELD_BYTES_MAX = 1_000;

/** Lines are stored in groups of this size. */
const GROUP_BYTES = 512 * 1024;
const GROUP_LINES = 500;
const NEWLINE = 0x0a;

/** A line of a file and its number, counted from 1. */
export interface TextLine {
  readonly line: number;
  readonly text: string;
}

/** The rest of a form after its file was read. */
export interface UploadedFile {
  readonly purpose?: string;
  readonly filename: string;
  readonly bytes: number;
  readonly lines: number;
  readonly hash: Buffer;
}

/** Splits a stream of bytes into groups of lines. It keeps empty lines, so the file can be returned unchanged. */
class LineSplitter {
  bytes = 0;
  lines = 0;
  private calls = 0;
  private readonly hash = createHash('sha256');
  private parts: Buffer[] = [];
  private group: TextLine[] = [];
  private groupBytes = 0;
  private lineBytes = 0;

  constructor(private readonly store: (lines: readonly TextLine[]) => Promise<void>) {}

  get digest(): Buffer {
    return this.hash.digest();
  }

  async take(chunk: Buffer): Promise<void> {
    this.bytes += chunk.length;
    if (this.bytes > FILE_BYTES_MAX) throw new FileTooLarge();
    this.hash.update(chunk);
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      this.keep(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      this.endLine();
      if (this.groupBytes >= GROUP_BYTES || this.group.length >= GROUP_LINES) await this.flush();
    }
    if (rest.length > 0) this.keep(rest);
  }

  async end(): Promise<void> {
    this.endLine();
    await this.flush();
  }

  /** No call is longer, and a line is in memory until it ends. */
  private keep(part: Buffer): void {
    this.lineBytes += part.length;
    if (this.lineBytes > LINE_BYTES_MAX)
      throw new InvalidRequest(`Line ${this.lines + 1} is longer than 32 MB.`, { param: 'file' });
    this.parts.push(part);
  }

  private endLine(): void {
    this.lineBytes = 0;
    const bytes = Buffer.concat(this.parts.splice(0));
    this.lines += 1;
    const text = bytes.toString('utf8');
    if (text.trim() !== '') this.calls += 1;
    if (this.calls > FILE_LINES_MAX || this.lines > 2 * FILE_LINES_MAX)
      throw new InvalidRequest(`A file has at most ${FILE_LINES_MAX} lines.`, { param: 'file' });
    this.group.push({ line: this.lines, text });
    this.groupBytes += bytes.length;
  }

  private async flush(): Promise<void> {
    const group = this.group.splice(0);
    this.groupBytes = 0;
    if (group.length > 0) await this.store(group);
  }
}

/** Reads a form with one file. `store` gets the file's lines while they are received. */
export const readUpload = async (
  form: Readable,
  contentType: string,
  store: (lines: readonly TextLine[]) => Promise<void>,
): Promise<UploadedFile> => {
  const splitter = new LineSplitter(store);
  let purpose: string | undefined;
  let filename: string | undefined;
  await readMultipart(form, contentType, {
    fieldsMax: FIELDS_MAX,
    fieldBytesMax: FIELD_BYTES_MAX,
    filesMax: 1,
    fileBytesMax: FILE_BYTES_MAX + 1,
    field: (name, text) => {
      if (name === 'purpose') purpose = text;
    },
    file: (name, file, given) => {
      if (name !== 'file') throw noFile(name);
      filename = given ?? '';
      return readLines(file, splitter);
    },
    tooManyParts: () => new InvalidRequest(`A form has one file, and at most ${FIELDS_MAX} other fields.`),
    tooLargeFile: () => new FileTooLarge(),
  });
  if (filename === undefined)
    throw new InvalidRequest('file is required: a file of JSON lines.', { param: 'file' });
  return { purpose, filename, bytes: splitter.bytes, lines: splitter.lines, hash: splitter.digest };
};

const readLines = async (file: Readable, splitter: LineSplitter): Promise<void> => {
  for await (const chunk of file as AsyncIterable<Buffer>) await splitter.take(chunk);
  await splitter.end();
};
