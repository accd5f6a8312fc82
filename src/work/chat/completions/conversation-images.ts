import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import {
  type Conversation,
  type ChatApi,
  type MediaPart,
  type Path,
  nameOf,
} from '#models/conversation/conversation';
import type { ImageCopies, ImageCopy } from '#models/conversation/sent-body';
import { InvalidRequest } from '#kernel/app-error';
import { unlessAborted, within } from '#kernel/deadline';
import { Slots } from '#kernel/slots';
import { MediaUnreachable } from '#platform/http/outgoing/safe-fetch.errors';
import { MediaIntake } from '#platform/media/media-intake';
import { UnsupportedMedia } from '#platform/media/media.errors';
import { ContentPolicy, type ForAdults } from '#models/providers/policy/content-policy';
import { PolicyBlocked } from '#models/providers/policy/policy.errors';

const IMAGES_MAX = 100;
const ALL_BYTES_MAX = 32 * 1024 * 1024;
const AT_ONCE = 4;
const SECONDS_MAX = 15;

/** This check is cheap, so it runs before the service fetches any image. */
export const refuseTooMany = (conversation: Conversation): void => {
  if (conversation.images.length > IMAGES_MAX) {
    const param = nameOf(conversation, 'turns');
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

  async take(from: ImageSource, conversation: Conversation, signal: AbortSignal): Promise<ImageCopies> {
    const copies = new Map<Path, ImageCopy>();
    const end = new AbortController();
    const over = AbortSignal.any([signal, end.signal]);
    const work = unlessAborted(over, this.all(from, conversation, copies, over));
    try {
      await within(SECONDS_MAX * 1_000, work, () => {
        throw new MediaUnreachable(`all images together took longer than ${SECONDS_MAX} seconds`, {
          param: nameOf(conversation, 'turns'),
        });
      });
    } finally {
      end.abort(); // After this, no further download starts.
    }
    return copies;
  }

  private async all(
    from: ImageSource,
    conversation: Conversation,
    copies: Map<Path, ImageCopy>,
    over: AbortSignal,
  ): Promise<void> {
    const slots = new Slots(AT_ONCE);
    let left = ALL_BYTES_MAX;
    await Promise.all(
      conversation.images.map((image) =>
        slots.run(async () => {
          over.throwIfAborted();
          const { bytes, mime } = await this.one(from, image, conversation.api);
          left -= bytes.length;
          if (left < 0) {
            const param = nameOf(conversation, 'turns');
            throw new InvalidRequest(`The images of ${param} are larger than 32 MB together.`, { param });
          }
          copies.set(image.at, { mime, data: bytes.toString('base64') });
        }),
      ),
    );
  }

  private async one(
    { request, owner, model }: ImageSource,
    { source, at }: MediaPart,
    api: ChatApi,
  ): Promise<{ readonly bytes: Buffer; readonly mime: string }> {
    const param = api === 'completions' ? `${at}.image_url` : at;
    const wanted = { param, kinds: ['image'] as const };
    const medium = await this.intake.take(request, source, wanted, owner).catch((error) => {
      // On this route, a 415 would blame the type of the whole body.
      throw error instanceof UnsupportedMedia ? new InvalidRequest(error.message, { param }) : error;
    });
    try {
      const bytes = await medium.read();
      const verdict = await this.policy.of(model).screenImage(bytes, medium.mime);
      if (!verdict.allowed) throw new PolicyBlocked(at, verdict.category);
      return { bytes, mime: medium.mime };
    } finally {
      await medium.discard();
    }
  }
}
