import images from '../../src/models/providers/xai/fixtures/images.json';
import videos from '../../src/models/providers/xai/fixtures/videos.json';
import { FakeChatCompletions } from './fake-chat-completions';
import { type FakeReply, type FakeRequest, VENDOR_WORDS } from './fake-provider';

type FilmWord = 'pending' | 'done' | 'failed' | 'expired' | 'moderated';

/** The documented fields. The fake refuses any other field. */
const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  '/v1/images/generations': new Set([
    'model',
    'prompt',
    'n',
    'aspect_ratio',
    'resolution',
    'response_format',
  ]),
  '/v1/images/edits': new Set(['model', 'prompt', 'image', 'images', 'resolution', 'response_format']),
  '/v1/videos/generations': new Set(['model', 'prompt', 'image', 'duration', 'aspect_ratio', 'resolution']),
};

/** The texts, the pictures and the films of xAI, on loopback. */
export class FakeXai extends FakeChatCompletions {
  /** The requests for films, and the statuses of each film, in order. The last one repeats. */
  readonly films: { readonly asked: Record<string, unknown>; words: FilmWord[] }[] = [];
  words: FilmWord[] = ['pending', 'pending', 'done'];
  /** The requests for pictures. */
  readonly pictures: Record<string, unknown>[] = [];
  /** Whether its moderation stops the next pictures. */
  moderates = false;

  constructor() {
    super('xai');
  }

  static override start(): Promise<FakeXai> {
    return new FakeXai().start();
  }

  get env(): Readonly<Record<string, string>> {
    return { XAI_BASE_URL: `${this.origin}/v1`, XAI_API_KEY: this.key };
  }

  protected override operationOf(request: FakeRequest): string {
    if (request.path.startsWith('/v1/images/')) return 'image';
    if (!request.path.startsWith('/v1/videos/')) return super.operationOf(request);
    return request.method === 'POST' ? 'submit' : 'status';
  }

  protected override answer(request: FakeRequest): FakeReply | Promise<FakeReply> {
    const operation = this.operationOf(request);
    if (operation === 'chat' || operation === 'count') return super.answer(request);
    if (request.headers.authorization !== `Bearer ${this.key}`)
      return { status: 401, json: this.errorBody(401) };
    if (operation === 'status') return this.answerState(request);
    const asked = JSON.parse(request.body.toString()) as Record<string, unknown>;
    const fields = FIELDS[request.path];
    const strange = Object.keys(asked).find((name) => fields?.has(name) !== true);
    if (strange !== undefined) {
      this.refused.push(`unknown field \`${strange}\``);
      return { status: 422, json: this.errorBody(422) };
    }
    if (operation === 'image') return this.draw(asked);
    this.films.push({ asked, words: [...this.words] });
    return { json: { request_id: `film-${this.films.length}` } };
  }

  private draw(asked: Record<string, unknown>): FakeReply {
    this.pictures.push(asked);
    const { n = 1 } = asked as { readonly n?: number };
    if (this.moderates) return { json: images.moderated };
    const b64 = `data:image/png;base64,${this.files.png.toString('base64')}`;
    const item = { ...images.made.data[0], b64_json: b64 };
    return { json: { ...images.made, data: Array.from({ length: n }, () => item) } };
  }

  private answerState({ path }: FakeRequest): FakeReply {
    const film = this.films[Number(/film-(\d+)$/.exec(path)?.[1]) - 1];
    if (film === undefined) return { status: 404, json: this.errorBody(404) };
    const word = (film.words.length > 1 ? film.words.shift() : film.words[0]) ?? 'pending';
    if (word === 'pending') return { status: 202, json: videos.pending };
    if (word === 'failed')
      return { json: { ...videos.failed, error: { code: 'invalid_argument', message: VENDOR_WORDS } } };
    if (word !== 'done') return { json: videos[word] };
    return {
      json: { ...videos.done, video: { ...videos.done.video, url: `${this.origin}/files/waves.mp4` } },
    };
  }
}
