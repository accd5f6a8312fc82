import type { Hash } from 'node:crypto';
import type { Readable } from 'node:stream';

import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { type AppError, InvalidRequest } from '#kernel/app-error';
import { BodyBudget, type BodyLease } from './body-budget';
import { beginFingerprint, rememberAsPart, rememberBody, rememberLargeBody } from './body-bytes';
import { BodyTooLarge, HungUp } from './body.errors';
import { callerOf } from '../limits/caller-address';
import { BodyAdmission } from './body-admission';
import { lateCallOf, outerOf } from '../inner-calls';
import { JsonGuard } from './json-guard';
import { routeOf } from '../routes/route';
import { senderSpeedOf } from './sender-speed';
import { TextCondenser } from './text-condenser';
import { RequestSlot } from '../request-slot';

/** The most bytes of a body that the service keeps for an unproven caller. */
const STRANGERS_BYTES_MAX = 64 * 1024;

export interface ReadBody {
  readonly bytes: Buffer;
  /** Whether `JsonGuard` has checked the whole body while it arrived. */
  readonly guarded: boolean;
}

const tooLarge = (): Error => Object.assign(new Error('body'), { statusCode: 413 });

/** Reads bodies within the rights of each caller and the shared memory budget. */
@Injectable()
export class BodyReader {
  private readonly held = new RequestSlot<BodyLease>();

  constructor(
    private readonly budget: BodyBudget,
    private readonly admission: BodyAdmission,
  ) {}

  read(request: FastifyRequest, payload: Readable): Promise<ReadBody> {
    return new Promise((resolve, reject) => this.take(request, payload, resolve, reject));
  }

  /** Reads the body. It makes no promise if it need not wait, because promises cost time. */
  take(
    request: FastifyRequest,
    payload: Readable,
    taken: (body: ReadBody) => void,
    refused: (error: Error) => void,
  ): void {
    new Reading({ request, payload, taken, refused }, this.budget, this.admission, this.held).begin();
  }

  /** Must be called when the answer is sent and no code needs the body any more. */
  release(request: FastifyRequest): void {
    this.held.get(request)?.close();
  }
}

interface BodyCall {
  readonly request: FastifyRequest;
  readonly payload: Readable;
  readonly taken: (body: ReadBody) => void;
  readonly refused: (error: Error) => void;
}

/** One body while it is received. */
class Reading {
  /** Undefined after the end, because a minor collection keeps a reading that has ended, and so would keep its call. */
  private call: BodyCall | undefined;
  private readonly parts: Buffer[] = [];
  private keptBytes = 0;
  private receivedBytes = 0;
  private isOver = false;
  private lease: BodyLease | undefined;
  private isTrusted: boolean;
  private readonly bytesMax: number;
  private readonly strangersBytesMax: number;
  private readonly condenses: boolean;
  private readonly keptBytesMax: number;
  /** The field of the medium, for errors about its size. */
  private readonly field: string | undefined;
  /** Whether `Uploads` may have taken media out of the body. The announced length then does not apply to the rest. */
  private readonly isExtracted: boolean;
  /** Set when the body becomes large. From then on its sender must be fast, and the body is hashed while it arrives. */
  private large:
    | { readonly hash: Hash; readonly guard: JsonGuard; readonly condenser?: TextCondenser }
    | undefined;
  /** Chunks that arrived while the body waited for memory, in order. */
  private readonly queue: Buffer[] = [];
  private isBusy = false;
  private hasEnded = false;
  /** The result, once the body is complete. */
  private body: ReadBody | undefined;

  constructor(
    call: BodyCall,
    private readonly budget: BodyBudget,
    private readonly admission: BodyAdmission,
    private readonly held: RequestSlot<BodyLease>,
  ) {
    const { request } = call;
    const { options, bodyLimit } = routeOf(request);
    this.call = call;
    this.bytesMax = bodyLimit;
    this.strangersBytesMax = options.strangersBytesMax ?? STRANGERS_BYTES_MAX;
    this.condenses = options.condenses === true;
    this.isExtracted = options.uploads !== undefined;
    this.keptBytesMax = options.keptBytesMax ?? Infinity;
    this.field = options.uploads?.field;
    // The body of an inner call or a late call comes from our own memory, so it needs no admission.
    this.isTrusted = outerOf(request) !== undefined || lateCallOf(request) !== undefined;
  }

  begin(): void {
    const { request, payload } = this.current;
    if (Number(request.headers['content-length'] ?? 0) > this.bytesMax && !this.isExtracted) {
      this.fail(tooLarge());
      return;
    }
    // The listeners stay, because events after the end have no effect.
    payload.on('data', this.onData);
    payload.on('end', this.onEnd);
    payload.on('error', this.onError);
    payload.on('close', this.onClose);
  }

  private readonly onData = (chunk: Buffer): void => {
    if (this.isOver) return;
    this.receivedBytes += chunk.length;
    if (this.receivedBytes > this.bytesMax) {
      this.fail(tooLarge());
      return;
    }
    this.queue.push(chunk);
    this.work();
  };

  private readonly onEnd = (): void => {
    this.hasEnded = true;
    this.work();
  };

  private readonly onError = (error: Error): void => {
    this.fail((error as NodeJS.ErrnoException).code === 'ECONNRESET' ? new HungUp() : error);
  };

  /** Releases the memory if the caller disconnects. */
  private readonly onClose = (): void => {
    if (!this.hasEnded) this.fail(new HungUp());
  };

  /** Reads the available chunks until one of them must wait. */
  private work(): void {
    if (this.isBusy) return;
    try {
      for (let chunk = this.queue[0]; chunk !== undefined && !this.isOver; chunk = this.queue[0]) {
        const wait = this.mustAsk(chunk) ? this.enlarge() : this.takeIn(this.queue.shift() ?? chunk);
        if (wait !== undefined) {
          this.waitFor(wait);
          return;
        }
      }
      if (!this.hasEnded || this.isOver) return;
      this.finish();
    } catch (error) {
      this.fail(error as Error);
      return;
    }
    if (this.body === undefined) return;
    const { taken } = this.current;
    this.call = undefined;
    taken(this.body);
  }

  private get current(): BodyCall {
    return this.call!;
  }

  private waitFor(wait: Promise<void>): void {
    this.isBusy = true;
    this.current.payload.pause();
    wait.then(
      () => {
        this.isBusy = false;
        this.work();
        if (!this.isBusy && !this.isOver) this.current.payload.resume();
      },
      (error: Error) => this.fail(error),
    );
  }

  private mustAsk(chunk: Buffer): boolean {
    return this.large === undefined && this.keptBytes + chunk.length > this.strangersBytesMax;
  }

  /** The body exceeds the limit for unproven callers, so now the caller must be proven. */
  private async enlarge(): Promise<void> {
    const admission = this.isTrusted ? undefined : await this.admission.of(this.current.request);
    if (this.isOver) return;
    if (admission?.isProven === true) {
      this.isTrusted = true;
      await this.room().prove(admission.owner);
      if (this.isOver) return;
    } else if (!this.isTrusted && !this.condenses) {
      throw admission?.refusal ?? this.tooMuch(this.strangersBytesMax);
    }
    const condenser = this.isTrusted || !this.condenses ? undefined : new TextCondenser();
    const large = { hash: beginFingerprint(this.current.request), guard: new JsonGuard() };
    this.large = condenser === undefined ? large : { ...large, condenser };
    const first = this.parts.splice(0);
    for (const part of first) large.hash.update(part);
    if (condenser === undefined) {
      for (const part of first) large.guard.feed(part);
      this.parts.push(...first);
    } else {
      this.keptBytes = 0;
      this.lease?.shrink();
      for (const part of first) await this.keep(condenser.feed(part));
    }
  }

  private takeIn(chunk: Buffer): Promise<void> | undefined {
    if (this.large === undefined) {
      this.parts.push(chunk);
      this.keptBytes += chunk.length;
      // If this chunk completes a small body, the body is used at once, so the budget does not count the chunk.
      const isAll = Number(this.current.request.headers['content-length']) === this.keptBytes;
      return isAll || this.isTrusted ? undefined : this.room().take(chunk.length);
    }
    this.large.hash.update(chunk);
    return this.keep(this.large.condenser === undefined ? chunk : this.large.condenser.feed(chunk));
  }

  private keep(part: Buffer): Promise<void> | undefined {
    this.large?.guard.feed(part);
    this.parts.push(part);
    this.keptBytes += part.length;
    const most = this.isTrusted ? this.keptBytesMax : this.strangersBytesMax;
    if (this.keptBytes > most) throw this.tooMuch(most);
    return this.lease?.take(part.length);
  }

  private tooMuch(bytes: number): AppError {
    const { field } = this;
    return field === undefined
      ? new BodyTooLarge(bytes)
      : new InvalidRequest(`${field} must be an https address or a data: URI in base64.`, { param: field });
  }

  private room(): BodyLease {
    this.lease ??= this.openLease();
    return this.lease;
  }

  private openLease(): BodyLease {
    const { request } = this.current;
    return this.budget.open(callerOf(request), senderSpeedOf(request), (error) => this.fail(error));
  }

  private finish(): void {
    const { request } = this.current;
    const announced = request.headers['content-length'];
    if (!this.isExtracted && announced !== undefined && Number(announced) !== this.receivedBytes) {
      this.fail(Object.assign(new Error('length'), { statusCode: 400 }));
      return;
    }
    this.isOver = true;
    const bytes = this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts);
    this.parts.length = 0;
    if (this.large === undefined) {
      this.lease?.close();
      rememberBody(request, bytes);
    } else {
      // A large body stays in memory until its call ends.
      this.lease?.received();
      if (this.lease !== undefined) this.held.set(request, this.lease);
      rememberLargeBody(request, this.large.hash.digest());
      if (this.large.condenser !== undefined) rememberAsPart(request);
    }
    this.body = { bytes, guarded: this.large !== undefined };
  }

  private fail(error: Error): void {
    if (this.isOver) return;
    const { request, payload, refused } = this.current;
    this.isOver = true;
    this.call = undefined;
    this.parts.length = 0;
    this.queue.length = 0;
    this.lease?.close();
    // Reads and drops the rest of the body.
    if (payload !== request.raw) payload.destroy();
    request.raw.resume();
    refused(error);
  }
}
