import { type Readable, Transform } from 'node:stream';

import { Busboy, type BusboyInstance } from '@fastify/busboy';

import { type AppError, InvalidRequest } from '#kernel/app-error';
import { withErrorListener } from '#kernel/with-error-listener';
import { HungUp } from './body.errors';

/** The headers of a part name it, and give the type of a file. */
const PART_HEADER_BYTES_MAX = 8 * 1024;
const PART_HEADERS_MAX = 20;

/** The parser never gets more at once, so that it does little work after the first fault. */
const SLICE_BYTES = 4 * 1024;

/** The reader of the parts of one form. An error that a method throws refuses the form. */
export interface FormReader {
  readonly fieldsMax: number;
  readonly fieldBytesMax: number;
  /** The number of files; all parts together are limited by the sum of fields and files. */
  readonly filesMax: number;
  readonly fileBytesMax: number;
  field(name: string, text: string): void;
  /** Must read the stream to its end, unless it throws. */
  file(name: string, stream: Readable, filename: string | undefined): Promise<void>;
  tooManyParts(): AppError;
  tooLargeFile(): AppError;
}

export const isNoForm = (): InvalidRequest => new InvalidRequest('The body is not a valid multipart form.');

export const namedTwice = (name: string): InvalidRequest => {
  const short = name.slice(0, 100);
  return new InvalidRequest(`The form must name ${short} once.`, { param: short });
};

/** The result is undefined if the content type names no boundary. */
const parserOf = (contentType: string, reader: FormReader): BusboyInstance | undefined => {
  const { fieldsMax, fieldBytesMax, filesMax, fileBytesMax } = reader;
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        fields: fieldsMax,
        // A truncated text shows a text that is too long.
        fieldSize: fieldBytesMax,
        files: filesMax,
        fileSize: fileBytesMax,
        parts: fieldsMax + filesMax,
        headerSize: PART_HEADER_BYTES_MAX,
        headerPairs: PART_HEADERS_MAX,
      },
    });
  } catch {
    return undefined;
  }
};

const slicer = (): Transform =>
  withErrorListener(
    new Transform({
      transform(chunk: Buffer, _, done) {
        for (let at = 0; at < chunk.length; at += SLICE_BYTES)
          this.push(chunk.subarray(at, at + SLICE_BYTES));
        done();
      },
    }),
  );

/**
 * The only place that parses forms. A form comes from strangers and may break off anywhere. So each stream has an error
 * listener for its whole life, and no event handler throws. The parser stops at the first fault, and the rest of the form
 * is dropped unparsed.
 */
export const readMultipart = async (
  source: Readable,
  contentType: string,
  reader: FormReader,
): Promise<void> => {
  withErrorListener(source);
  const parser = parserOf(contentType, reader);
  if (parser === undefined) {
    source.resume();
    throw isNoForm();
  }
  withErrorListener(parser);
  const slices = slicer();
  const files: Promise<void>[] = [];
  const streams: Readable[] = [];
  let isRefused = false;
  const stop = (): void => {
    isRefused = true;
    slices.unpipe(parser);
    source.unpipe(slices);
    source.resume(); // The rest is read and dropped.
    for (const stream of streams) stream.destroy(new HungUp());
  };
  await new Promise<void>((resolve, reject) => {
    // Stops at once: the many ticks of a parser would delay the handler of a rejection until it has read everything.
    const refuse = (error: unknown): void => {
      stop();
      reject(error as Error);
    };
    const guarded =
      <Given extends unknown[]>(handle: (...given: Given) => void) =>
      (...given: Given): void => {
        try {
          handle(...given);
        } catch (error) {
          refuse(error);
        }
      };
    const onField = (name: string | undefined, text: string, _: unknown, isCut: boolean): void => {
      if (isRefused) return;
      if (name === undefined) throw isNoForm();
      const short = name.slice(0, 100);
      if (isCut) throw new InvalidRequest(`${short} is too long.`, { param: short });
      if (name === '__proto__') throw namedTwice(name);
      reader.field(name, text);
    };
    const onFile = (name: string | undefined, stream: Readable, filename: string | undefined): void => {
      withErrorListener(stream);
      // The parser still reports the rest of its slice. Nobody would remove a file that the reader stored now.
      if (isRefused) {
        stream.resume();
        return;
      }
      streams.push(stream);
      stream.on('limit', () => refuse(reader.tooLargeFile()));
      if (name === undefined) throw isNoForm();
      const reading = reader.file(name, stream, filename);
      files.push(reading);
      reading.catch(refuse);
    };
    parser.on('field', guarded(onField));
    parser.on('file', guarded(onFile));
    for (const event of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const)
      parser.on(event, () => refuse(reader.tooManyParts()));
    parser.on('error', () => refuse(isNoForm()));
    parser.on('finish', resolve);
    source.on('error', () => refuse(new HungUp()));
    source.on('close', () => {
      if (!source.readableEnded) refuse(new HungUp());
    });
    source.pipe(slices).pipe(parser);
  });
  await Promise.all(files);
};
