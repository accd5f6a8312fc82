import type { ProviderName } from '../provider-name';
import { type TextWire, WireTextProvider } from '../text/wire-text.provider';
import { type Quirk, type ServerAccess, authorizationOf } from './openai-server';
import { judge, toCompletionBody, toConversationBody, toTextAnswer, toTokenPrices } from './openai.wire';
import { PieceReader } from './piece-reader';
import { RESPONSES_WIRE } from './responses.wire';

/** Most other servers know only chat completions. */
const OPENAI = 'api.openai.com';

const PATH = 'chat/completions';

const headersOf = ({ ourId }: { readonly ourId: string }) => ({ 'x-client-request-id': ourId });

/** Changes a body for OpenAI into the body for a vendor whose differences the quirks do not cover. */
export type Dialect = (body: object) => object;

type Access = Pick<ServerAccess, 'baseUrl' | 'key'> & Partial<Pick<ServerAccess, 'quirks'>>;

const wireOf = (quirks: ReadonlySet<Quirk>, dialect: Dialect): TextWire => ({
  speaks: 'completions',
  whole: (request) => ({
    path: PATH,
    json: dialect(toCompletionBody(request, quirks)),
    headers: headersOf(request),
  }),
  streamed: (request) => ({
    path: PATH,
    json: dialect(toConversationBody(request, quirks)),
    headers: headersOf(request),
  }),
  answer: (value, request) => toTextAnswer(value, request, quirks),
  reader: (eventsMax) => new PieceReader(eventsMax, quirks),
  prices: { path: 'models', read: toTokenPrices },
});

/** Texts from any server with OpenAI's chat completions API. */
export class OpenaiTextProvider extends WireTextProvider {
  constructor(name: ProviderName, access: Access, dialect: Dialect = (body) => body) {
    const { baseUrl, quirks = [] } = access;
    const hasResponses = new URL(baseUrl).hostname === OPENAI || quirks.includes('responses');
    super(
      { name, baseUrl, headers: () => authorizationOf(access), judge },
      wireOf(new Set(quirks), dialect),
      hasResponses ? [RESPONSES_WIRE] : [],
    );
  }
}
