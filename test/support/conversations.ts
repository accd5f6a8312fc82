import { readCompletion } from '#models/conversation/completions-body';
import type { Conversation } from '#models/conversation/conversation';
import type { ImageCopy } from '#models/conversation/sent-body';
import type { ConversationRequest } from '#models/providers/text-provider';

/** The request of a conversation to a vendor. The images must be `data:` URIs, which count as our copies. */
const requestFor = (
  conversation: Conversation,
  call: Partial<ConversationRequest> = {},
): ConversationRequest => ({
  model: 'model',
  maxTokens: 64,
  ourId: 'ch_1',
  conversation,
  copies: new Map(
    conversation.images.map(({ at, source }): readonly [string, ImageCopy] => [
      at,
      { mime: /^data:([^;]*)/.exec(source)?.[1] ?? '', data: source.slice(source.indexOf(',') + 1) },
    ]),
  ),
  ...call,
});

/**
 * The same for a body of chat completions. `API` makes it a conversation of another API, whose body the vendor's
 * adapter has to translate.
 */
export const requestOf = (
  body: object,
  call: Partial<ConversationRequest> = {},
  api?: Conversation['api'],
): ConversationRequest => {
  const conversation = readCompletion({ messages: [], ...body });
  return requestFor(api === undefined ? conversation : { ...conversation, api }, call);
};
