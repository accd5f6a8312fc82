import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream';

import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';

import { BodyAdmission } from '../http/body/body-admission';
import { HungUp } from '../http/body/body.errors';
import { outerOf } from '../http/inner-calls';
import { routeOptionsOf } from '../http/routes/route';
import { senderSpeedOf } from '../http/body/sender-speed';
import { MediaTooLarge } from '../http/outgoing/safe-fetch.errors';
import { Spool } from '../storage/spool';
import type { Upload } from './data-file';
import { MEDIA_BYTES_MAX } from './media-kind';
import { KEPT_BYTES_MAX, UploadExtractor, type Welcome } from './upload-extractor';
import { UploadSlots } from './upload-slots';
import { RequestSlot } from '../http/request-slot';
import { BackgroundWork } from '../background/background-work';
import { SETTINGS } from '../config/settings';
import type { DatabaseSettings } from '../database/database.settings';

/** Keeps the large media of a request's body on the disk until other code takes them, or the request ends. */
@Injectable()
export class Uploads {
  /** Files of running calls. A sweep deletes those of dead processes. */
  readonly spool: Spool;
  private readonly slots = new UploadSlots();
  /** Separate slots for unproven callers that may store media, so that they take no slots from proven callers. */
  private readonly strangersSlots = new UploadSlots();
  private readonly waiting = new RequestSlot<Upload[]>();

  constructor(
    private readonly admission: BodyAdmission,
    private readonly background: BackgroundWork,
    @Inject(SETTINGS) settings: DatabaseSettings,
  ) {
    this.spool = new Spool(join(settings.dataDir, 'incoming'), false);
  }

  /** Returns the body without its large media, which it writes to the disk. */
  extract(request: FastifyRequest, reply: FastifyReply, payload: RequestPayload): RequestPayload {
    const { uploads, bodyBytesMax = 0 } = routeOptionsOf(request);
    // A short body has no long strings.
    const isShort = Number(request.headers['content-length'] ?? Infinity) <= KEPT_BYTES_MAX;
    if (uploads === undefined || isShort) return payload;
    const found: Upload[] = [];
    this.waiting.set(request, found);
    const overflow = (): Error =>
      uploads.field === undefined
        ? Object.assign(new Error('body'), { statusCode: 413 })
        : new MediaTooLarge(MEDIA_BYTES_MAX.video, { param: uploads.field });
    if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) throw overflow();
    const extractor = new UploadExtractor({
      spool: this.spool,
      welcome: () => this.welcome(request),
      speed: senderSpeedOf(request),
      dataBytesMax: MEDIA_BYTES_MAX.video,
      bodyBytesMax,
      overflow,
      onUpload: (upload) => found.push(upload),
    });
    // The parser of the body may have removed its listener already, and an unhandled error would end the process.
    extractor.on('error', () => undefined);
    request.raw.once('close', () => {
      if (!extractor.writableEnded) extractor.destroy(new HungUp());
    });
    finished(reply.raw, () => {
      for (const { file } of found.splice(0)) {
        this.background.detach('Deleting uploads', () => this.drop(file?.path));
      }
    });
    return payload.pipe(extractor);
  }

  find(request: FastifyRequest, name: string): Upload | undefined {
    return this.uploadsOf(request).find((upload) => upload.name === name);
  }

  /**
   * Takes the upload that a name in the body refers to. The code that calls this function must then delete the file.
   */
  take(request: FastifyRequest, name: string): Upload | undefined {
    const outer = outerOf(request);
    return this.takeFrom(request, name) ?? (outer === undefined ? undefined : this.takeFrom(outer, name));
  }

  private takeFrom(request: FastifyRequest, name: string): Upload | undefined {
    const found = this.waiting.get(request) ?? [];
    const at = found.findIndex((upload) => upload.name === name);
    return at === -1 ? undefined : found.splice(at, 1)[0];
  }

  private async welcome(request: FastifyRequest): Promise<Welcome> {
    const { isProven, mediaBytesMax, owner } = await this.admission.of(request);
    return { keptBytesMax: mediaBytesMax, slots: isProven ? this.slots : this.strangersSlots, owner };
  }

  /** The uploads of the request and of its outer request. */
  private uploadsOf(request: FastifyRequest): Upload[] {
    const outer = outerOf(request);
    return [
      ...(this.waiting.get(request) ?? []),
      ...(outer === undefined ? [] : (this.waiting.get(outer) ?? [])),
    ];
  }

  async drop(path: string | undefined): Promise<void> {
    if (path !== undefined) await rm(path, { force: true });
  }
}
