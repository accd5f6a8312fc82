import { type Received, type Said, FakeTextServer, VENDOR_WORDS } from './fake-text-server';
import type { FakeReply, FakeRequest } from './fake-provider';

interface Part {
  readonly text?: string;
  readonly inlineData?: { readonly mimeType: string };
  readonly functionCall?: { readonly name: string; readonly args: object };
  readonly functionResponse?: { readonly name: string; readonly response: { readonly result?: string } };
  readonly thoughtSignature?: string;
}

interface Content {
  readonly role: string;
  readonly parts: readonly Part[];
}

const FIELDS: ReadonlySet<string> = new Set([
  'systemInstruction',
  'contents',
  'tools',
  'toolConfig',
  'generationConfig',
]);

type FilmWord = 'running' | 'done' | 'failed' | 'filtered';

const REASONS = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
} as const;

const STATUSES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

/** `generateContent` of Gemini, with its strict checks. */
export class FakeGemini extends FakeTextServer {
  protected readonly trouble = {
    error: { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' },
  };

  /** The requests to Veo, and the statuses of each film, in order. The last one repeats. */
  readonly films: { readonly asked: Record<string, unknown>; words: FilmWord[] }[] = [];
  words: FilmWord[] = ['running', 'running', 'done'];
  /** The names in its list of models. Without them, it has no list. */
  listed: readonly string[] | undefined;
  /** The requests for pictures. */
  readonly pictures: Record<string, unknown>[] = [];

  static start(): Promise<FakeGemini> {
    return new FakeGemini().start();
  }

  get env(): Readonly<Record<string, string>> {
    return { GEMINI_BASE_URL: `${this.origin}/v1beta`, GEMINI_API_KEY: this.key };
  }

  get received(): Received {
    const body = this.bodies.at(-1) as unknown as {
      model: string;
      systemInstruction?: Content;
      contents: readonly Content[];
      tools?: readonly { readonly functionDeclarations: readonly { readonly name: string }[] }[];
      generationConfig: {
        readonly maxOutputTokens: unknown;
        readonly stopSequences?: readonly string[];
        readonly responseJsonSchema?: unknown;
      };
    };
    const { maxOutputTokens, stopSequences = [], responseJsonSchema } = body.generationConfig;
    return {
      model: body.model,
      maxTokens: maxOutputTokens,
      system: body.systemInstruction?.parts.map(({ text }) => text).join('') ?? '',
      lines: body.contents.flatMap(({ role, parts }) => parts.map((part) => lineOf(role, part))),
      tools: (body.tools ?? []).flatMap((tool) => tool.functionDeclarations.map(({ name }) => name)),
      schema: responseJsonSchema,
      stop: stopSequences,
    };
  }

  protected override operationOf({ method, path, body }: FakeRequest): string {
    if (path.endsWith(':predictLongRunning')) return 'submit';
    if (method === 'GET') return path.endsWith('/models') ? 'list' : 'status';
    if (path.endsWith(':countTokens')) return 'count';
    return path.endsWith(':predict') || body.includes('responseModalities') ? 'image' : 'chat';
  }

  protected override answer(request: FakeRequest): FakeReply | Promise<FakeReply> {
    const operation = this.operationOf(request);
    if (operation === 'chat' || operation === 'count') return super.answer(request);
    if (!this.isKnown(request)) return { status: 401, json: this.errorBody(401) };
    if (operation === 'list' && this.listed !== undefined)
      return { json: { models: this.listed.map((name) => ({ name: `models/${name}` })) } };
    if (operation === 'status' || operation === 'list') return this.answerState(request);
    const asked = JSON.parse(request.body.toString()) as Record<string, unknown>;
    if (operation === 'image') return this.draw(request, asked);
    this.films.push({ asked, words: [...this.words] });
    return { json: { name: `models/${this.modelOf(request)}/operations/film-${this.films.length}` } };
  }

  private draw({ path }: FakeRequest, asked: Record<string, unknown>): FakeReply {
    this.pictures.push(asked);
    const data = this.files.png.toString('base64');
    if (path.endsWith(':predict')) {
      return { json: { predictions: [{ mimeType: 'image/png', bytesBase64Encoded: data }] } };
    }
    const parts = [{ text: 'Here it is.' }, { inlineData: { mimeType: 'image/png', data } }];
    return { json: { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] } };
  }

  private answerState({ path }: FakeRequest): FakeReply {
    const film = this.films[Number(/film-(\d+)$/.exec(path)?.[1]) - 1];
    if (film === undefined) return { status: 404, json: this.errorBody(404) };
    const word = (film.words.length > 1 ? film.words.shift() : film.words[0]) ?? 'running';
    const name = path.replace('/v1beta/', '');
    const generatedSamples =
      word === 'filtered' ? undefined : [{ video: { uri: `${this.origin}/files/waves.mp4` } }];
    if (word === 'running') return { json: { name } };
    if (word === 'failed') return { json: { name, done: true, error: { code: 3, message: VENDOR_WORDS } } };
    return { json: { name, done: true, response: { generateVideoResponse: { generatedSamples } } } };
  }

  protected errorBody(status: number): unknown {
    const word = STATUSES[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
    return { error: { code: status, message: `${VENDOR_WORDS} gemini`, status: word } };
  }

  protected isKnown({ path, headers }: FakeRequest): boolean {
    return path.startsWith('/v1beta/models') && headers['x-goog-api-key'] === this.key;
  }

  protected override modelOf({ path }: FakeRequest): string {
    return /\/models\/([^:]+):/.exec(path)?.[1] ?? '';
  }

  protected faultIn(body: Record<string, unknown>): string | undefined {
    const strange = Object.keys(body).find((name) => !FIELDS.has(name));
    if (strange !== undefined) return `Unknown name "${strange}"`;
    const firstCalls = (body['contents'] as readonly Content[]).flatMap(
      ({ parts }) => parts.find(({ functionCall }) => functionCall !== undefined) ?? [],
    );
    const isUnsigned = firstCalls.some(({ thoughtSignature }) => thoughtSignature === undefined);
    return isUnsigned ? 'Function call is missing a thought_signature' : undefined;
  }

  protected isStreamed({ path, query }: FakeRequest): boolean {
    return path.endsWith(':streamGenerateContent') && query.get('alt') === 'sse';
  }

  protected whole(said: Said): unknown {
    const { texts = [], calls = [], finish = 'stop' } = said;
    const parts = [
      ...(texts.length === 0 ? [] : [{ text: texts.join('') }]),
      ...calls.map(({ name, input }) => ({ functionCall: { name, args: input }, thoughtSignature: 'EjQK' })),
    ];
    return this.chunk(said, parts, REASONS[finish]);
  }

  protected events(said: Said): readonly unknown[] {
    const { texts = [], calls = [], finish = 'stop', thinks, signature } = said;
    const proof = (at: number): object =>
      at > 0 || signature === undefined ? {} : { thoughtSignature: signature };
    return [
      ...(thinks === undefined ? [] : [this.chunk(said, [{ text: thinks, thought: true }])]),
      ...texts.map((text) => this.chunk(said, [{ text }])),
      ...calls.map(({ name, input }, at) =>
        this.chunk(said, [{ functionCall: { name, args: input }, ...proof(at) }]),
      ),
      this.chunk(said, [{ text: '' }], REASONS[finish]),
    ];
  }

  private chunk({ counts }: Said, parts: readonly object[], finishReason?: string): object {
    return {
      candidates: [{ content: { role: 'model', parts }, finishReason, index: 0 }],
      usageMetadata: counts && {
        promptTokenCount: counts.read,
        candidatesTokenCount: counts.written,
        cachedContentTokenCount: counts.cached,
      },
      modelVersion: 'gemini-3.5-flash',
      responseId: 'r1',
    };
  }
}

const lineOf = (role: string, part: Part): string => {
  const who = role === 'model' ? 'assistant' : role;
  if (part.functionCall !== undefined)
    return `${who} calls ${part.functionCall.name} ${JSON.stringify(part.functionCall.args)}`;
  if (part.functionResponse !== undefined) {
    const { name, response } = part.functionResponse;
    return `tool ${name}: ${response.result ?? JSON.stringify(response)}`; // An object stays an object.
  }
  return part.inlineData === undefined ? `${who}: ${part.text}` : `${who} shows ${part.inlineData.mimeType}`;
};
