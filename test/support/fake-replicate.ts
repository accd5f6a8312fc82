import predictions from '../../src/models/providers/replicate/fixtures/predictions.json';
import { FakeProvider, type FakeReply, type FakeRequest, VENDOR_WORDS } from './fake-provider';

type Word = keyof typeof predictions;

export interface FakePrediction {
  readonly id: string;
  readonly model: string;
  readonly input: Readonly<Record<string, unknown>>;
  words: Word[];
  cancelled: boolean;
}

/** The predictions of Replicate, on loopback. It records the accepted and the cancelled work. */
export class FakeReplicate extends FakeProvider {
  readonly key = 'r8_fake_replicate_token_0123456789';
  readonly accepted: FakePrediction[] = [];
  readonly uploads: Buffer[] = [];
  /** The statuses of a prediction, in order. The last one repeats. */
  words: Word[] = ['starting', 'processing', 'succeeded'];

  static start(): Promise<FakeReplicate> {
    return new FakeReplicate().start();
  }

  get env(): Readonly<Record<string, string>> {
    return { REPLICATE_BASE_URL: `${this.origin}/v1`, REPLICATE_API_TOKEN: this.key };
  }

  protected operationOf({ method, path }: FakeRequest): string {
    if (path === '/v1/files') return 'upload';
    if (path.endsWith('/cancel')) return 'cancel';
    return method === 'POST' ? 'submit' : 'status';
  }

  protected errorBody(status: number): unknown {
    return { title: 'Trouble', detail: `${VENDOR_WORDS} replicate`, status };
  }

  protected answer(request: FakeRequest): FakeReply {
    if (request.headers.authorization !== `Bearer ${this.key}`) {
      return { status: 401, json: this.errorBody(401) };
    }
    switch (this.operationOf(request)) {
      case 'upload':
        this.uploads.push(request.body);
        return { status: 201, json: { id: 'f1', urls: { get: `${this.origin}/v1/files/f1` } } };
      case 'submit':
        return this.submit(request);
      default:
        return this.answerState(request);
    }
  }

  private submit({ path, body }: FakeRequest): FakeReply {
    const { input } = JSON.parse(body.toString()) as { input: Record<string, unknown> };
    const id = `prediction${this.accepted.length + 1}`;
    const model = /models\/(.+)\/predictions$/.exec(path)?.[1] ?? '';
    this.accepted.push({ id, model, input, words: [...this.words], cancelled: false });
    return { status: 201, json: { ...predictions.starting, id } };
  }

  private answerState(request: FakeRequest): FakeReply {
    const found = this.accepted.find(({ id }) => id === request.path.split('/')[3]);
    if (found === undefined) return { status: 404, json: this.errorBody(404) };
    if (this.operationOf(request) === 'cancel') {
      found.cancelled = true;
      if (found.words[0] === 'starting') found.words = ['canceled'];
    }
    const word = (found.words.length > 1 ? found.words.shift() : found.words[0]) ?? 'starting';
    const output =
      'duration' in found.input ? `${this.origin}/files/waves.mp4` : [`${this.origin}/files/fox.png`];
    const made = word === 'succeeded' ? { output } : {};
    return { json: { ...predictions[word], id: found.id, ...made } };
  }
}
