import type { Fields } from '#kernel/json';
import type { Conversation, ChatApi, MediaPart, Path } from './conversation';

/** Our own copy of a caller's image, because a vendor must never get an address that a caller named. */
export interface ImageCopy {
  readonly mime: string;
  /** In base64. */
  readonly data: string;
}

export type ImageCopies = ReadonlyMap<Path, ImageCopy>;

export const NO_IMAGES: ImageCopies = new Map();

/** Empty for an image without bytes, which only the count of a body has: the studio counts the same. */
export const dataUri = ({ mime, data }: ImageCopy): string =>
  data === '' ? '' : `data:${mime};base64,${data}`;

/** The caller's part with our copy in place of its source. */
const WITH_COPY: Readonly<Record<ChatApi, (sent: Fields, copy: ImageCopy) => Fields>> = {
  completions: (sent, copy) => ({
    ...sent,
    image_url: { ...(sent['image_url'] as Fields), url: dataUri(copy) },
  }),
  responses: (sent, copy) => ({ ...sent, image_url: dataUri(copy) }),
  messages: (sent, { mime, data }) => ({ ...sent, source: { type: 'base64', media_type: mime, data } }),
  gemini: ({ fileData: _, ...sent }, { mime, data }) => ({ ...sent, inlineData: { mimeType: mime, data } }),
};

type Holder = Record<string, unknown>;

/** Replaces parts. Only the objects on the way to a replaced part are copied, each once. */
const replaced = (root: Fields, parts: readonly MediaPart[], make: (part: MediaPart) => Fields): Fields => {
  const fresh = new Set<unknown>();
  const copyOf = (value: unknown): Holder => {
    if (fresh.has(value)) return value as Holder;
    const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as Fields) }) as Holder;
    fresh.add(copy);
    return copy;
  };
  const result = copyOf(root);
  for (const part of parts) {
    const keys = part.at.match(/[^.[\]]+/g) ?? [];
    let holder = result;
    for (const key of keys.slice(0, -1)) holder = holder[key] = copyOf(holder[key]);
    holder[keys.at(-1) ?? ''] = make(part);
  }
  return result;
};

/** The caller's body for a vendor that speaks its API, with our copies of the images. */
export const sentBody = ({ api, sent, images }: Conversation, copies: ImageCopies): Fields =>
  images.length === 0
    ? sent
    : replaced(sent, images, (part) =>
        WITH_COPY[api](part.sent, copies.get(part.at) ?? { mime: 'image/png', data: '' }),
      );

/** The body without the bytes of its images, which must not count as text. */
export const countedBody = (conversation: Conversation): Fields => sentBody(conversation, NO_IMAGES);
