import { setTimeout as pause } from 'node:timers/promises';

import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { InvalidRequest } from '../../kernel/app-error';
import { Slots } from '../../kernel/slots';
import { MediaUnreachable } from '../../platform/http/outgoing/safe-fetch.errors';
import { MediaIntake } from '../../platform/media/media-intake';
import { UnsupportedMedia } from '../../platform/media/media.errors';
import { ContentPolicy, type ForAdults, PolicyBlocked } from '../../providers/content-policy';
import type { FieldNames, ImagePosition } from './forwarded';

const IMAGES_MAX = 16;
const ALL_BYTES_MAX = 32 * 1024 * 1024;
const AT_ONCE = 4;
const SECONDS_MAX = 15;

/**
 * Returns our copy of an image as a `data:` URI, because the provider must never get an address that a caller named.
 */
export type ImageCopies = (message: number, part: number) => string;

/** This check is cheap, so it runs before the service fetches any image. */
export const refuseTooMany = (places: readonly ImagePosition[], nameOf: FieldNames): void => {
  if (places.length > IMAGES_MAX) {
    const param = nameOf('messages');
    throw new InvalidRequest(`${param} hold more than ${IMAGES_MAX} images.`, { param });
  }
};

/** The call whose images are taken in. */
export interface ImageSource {
  readonly request: FastifyRequest;
  readonly owner: string;
  readonly model: ForAdults;
}

/** Takes in the images of a conversation: through the SSRF guard, limited in size, decoded and screened. */
@Injectable()
export class ConversationImages {
  constructor(
    private readonly intake: MediaIntake,
    private readonly policy: ContentPolicy,
  ) {}

  async take(
    from: ImageSource,
    places: readonly ImagePosition[],
    nameOf: FieldNames,
    signal: AbortSignal,
  ): Promise<ImageCopies> {
    const copies = new Map<string, string>();
    const end = new AbortController();
    const over = AbortSignal.any([signal, end.signal]);
    const late = pause(SECONDS_MAX * 1_000, undefined, { signal: over, ref: false }).then(() => {
      throw new MediaUnreachable(`all images together took longer than ${SECONDS_MAX} seconds`, {
        param: nameOf('messages'),
      });
    });
    try {
      await Promise.race([late, this.all(from, places, nameOf, copies, over)]);
    } finally {
      end.abort(); // After this, no further download starts.
      late.catch(() => undefined);
    }
    return (message, part) => copies.get(`${message} ${part}`) ?? '';
  }

  private async all(
    from: ImageSource,
    places: readonly ImagePosition[],
    nameOf: FieldNames,
    copies: Map<string, string>,
    over: AbortSignal,
  ): Promise<void> {
    const slots = new Slots(AT_ONCE);
    let left = ALL_BYTES_MAX;
    await Promise.all(
      places.map((place) =>
        slots.run(async () => {
          over.throwIfAborted();
          const { bytes, mime } = await this.one(from, place, nameOf);
          left -= bytes.length;
          if (left < 0) {
            const param = nameOf('messages');
            throw new InvalidRequest(`The images of ${param} are larger than 32 MB together.`, { param });
          }
          copies.set(`${place.message} ${place.part}`, `data:${mime};base64,${bytes.toString('base64')}`);
        }),
      ),
    );
  }

  private async one(
    { request, owner, model }: ImageSource,
    { message, part, source }: ImagePosition,
    nameOf: FieldNames,
  ): Promise<{ readonly bytes: Buffer; readonly mime: string }> {
    const param = nameOf(`messages[${message}].content[${part}].image_url`);
    const wanted = { param, kinds: ['image'] as const };
    const medium = await this.intake.take(request, source, wanted, owner).catch((error) => {
      // On this route, a 415 would blame the type of the whole body.
      throw error instanceof UnsupportedMedia ? new InvalidRequest(error.message, { param }) : error;
    });
    try {
      const bytes = await medium.read();
      const verdict = await this.policy.of(model).screenImage(bytes, medium.mime);
      if (!verdict.allowed) throw new PolicyBlocked(nameOf(`messages[${message}]`), verdict.category);
      return { bytes, mime: medium.mime };
    } finally {
      await medium.discard();
    }
  }
}
