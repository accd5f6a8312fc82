import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { InvalidRequest } from '#kernel/app-error';
import { Slots } from '#kernel/slots';
import { type HashedFile, Spool } from '../../storage/spool';
import { BackgroundWork } from '../../background/background-work';
import { RequestSlot } from '../request-slot';
import { routeOf } from '../routes/route';
import { BodyAdmission } from './body-admission';
import { rememberAsPart, rememberBody } from './body-bytes';
import { namedTwice, readMultipart } from './multipart';
import { SETTINGS } from '../../config/settings';
import type { DatabaseSettings } from '../../database/database.settings';
import { FileTooLarge } from './body.errors';

const FIELDS_MAX = 20;
const FIELD_BYTES_MAX = 8 * 1024;
/** The bytes of a form beside its file: the other fields, and the lines between them. */
const FORM_FIELDS_BYTES_MAX = 64 * 1024;
/** The forms that one process receives at a time, and how many of them one owner may have. */
const AT_ONCE = 32;
const AT_ONCE_PER_OWNER = 2;

/** The file of a form, stored on our disk until the call ends. */
export interface FormFile extends HashedFile {
  readonly owner: string;
}

type Fields = Readonly<Record<string, string>>;

const files = new RequestSlot<FormFile>();

/** The file of a call's form; undefined if it has none, or if the caller was not proven. */
export const formFileOf = (request: FastifyRequest): FormFile | undefined => files.get(request);

/**
 * Reads forms with one file, which is written to the disk. First the headers must prove the caller. The form of any
 * other caller is read and dropped; it has no price, and a guard refuses the call.
 */
@Injectable()
export class FileForms {
  private readonly spool: Spool;
  private readonly slots = new Slots(AT_ONCE, { perKey: AT_ONCE_PER_OWNER });

  constructor(
    private readonly admission: BodyAdmission,
    private readonly background: BackgroundWork,
    @Inject(SETTINGS) settings: DatabaseSettings,
  ) {
    this.spool = new Spool(join(settings.dataDir, 'forms'), false);
  }

  /** The fields. `file` is the hash of the file, so that equal calls have equal fields. */
  async read(request: FastifyRequest, payload: Readable): Promise<Fields> {
    const { bodyLimit: fileBytesMax } = routeOf(request);
    if (Number(request.headers['content-length'] ?? 0) > fileBytesMax + FORM_FIELDS_BYTES_MAX) {
      payload.resume();
      throw new FileTooLarge(fileBytesMax);
    }
    const { isProven, owner, refusal } = await this.admission.of(request);
    if (!isProven) {
      payload.resume();
      if (refusal !== undefined) throw refusal;
      rememberAsPart(request);
      return { file: 'unread' };
    }
    const { fields, file } = await this.slots.run(() => this.take(request, payload, fileBytesMax), owner);
    if (file !== undefined) files.set(request, { ...file, owner });
    const body = file === undefined ? fields : { ...fields, file: `sha256:${file.sha256}` };
    rememberBody(request, Buffer.from(JSON.stringify(body)));
    return body;
  }

  /** Called when the answer is sent and the file is not needed any more. */
  release(request: FastifyRequest): void {
    const file = files.get(request);
    if (file !== undefined)
      this.background.detach('Deleting files of forms', () => rm(file.path, { force: true }));
  }

  private async take(
    request: FastifyRequest,
    payload: Readable,
    bytesMax: number,
  ): Promise<{ readonly fields: Fields; readonly file?: HashedFile }> {
    const fields = new Map<string, string>();
    let storing: Promise<HashedFile> | undefined;
    try {
      await readMultipart(payload, request.headers['content-type'] ?? '', {
        fieldsMax: FIELDS_MAX,
        fieldBytesMax: FIELD_BYTES_MAX,
        filesMax: 1,
        fileBytesMax: bytesMax,
        field: (name, text) => {
          if (fields.has(name) || name === 'file') throw namedTwice(name);
          fields.set(name, text);
        },
        file: async (name, stream) => {
          if (name !== 'file') throw oneFile(name);
          storing = this.spool.takeHashed(stream);
          await storing;
        },
        tooManyParts: () => new InvalidRequest(`A form has one file, and at most ${FIELDS_MAX} fields.`),
        tooLargeFile: () => new FileTooLarge(bytesMax),
      });
      return { fields: Object.fromEntries(fields), file: await storing };
    } catch (error) {
      storing?.then(({ path }) => rm(path, { force: true })).catch(() => undefined);
      throw error;
    }
  }
}

const oneFile = (name: string): InvalidRequest =>
  new InvalidRequest('A form has one file, and its field is file.', { param: name.slice(0, 100) });
