import { FakeProvider, type FakeReply, type FakeRequest, VENDOR_WORDS } from './fake-provider';

const WORDS = {
  pending: { status: 'PENDING' },
  running: { status: 'RUNNING', progress: 0.4 },
  succeeded: { status: 'SUCCEEDED' },
  failed: { status: 'FAILED', failure: VENDOR_WORDS, failureCode: 'SAFETY.INPUT.TEXT' },
} as const;

type Word = keyof typeof WORDS;

/** The tasks of Runway, on loopback. It records the accepted and the stopped work. */
export class FakeRunway extends FakeProvider {
  readonly key = 'key_fake_runway_0123456789';
  readonly accepted: { readonly input: Record<string, unknown>; words: Word[]; cancelled: boolean }[] = [];
  words: Word[] = ['pending', 'running', 'succeeded'];

  static start(): Promise<FakeRunway> {
    return new FakeRunway().start();
  }

  get env(): Readonly<Record<string, string>> {
    return { RUNWAY_BASE_URL: `${this.origin}/v1`, RUNWAY_API_KEY: this.key };
  }

  protected operationOf({ method }: FakeRequest): string {
    return method === 'POST' ? 'submit' : method === 'DELETE' ? 'cancel' : 'status';
  }

  protected errorBody(): unknown {
    return { error: VENDOR_WORDS, docUrl: 'https://docs.dev.runwayml.com/errors' };
  }

  protected answer({ method, path, headers, body }: FakeRequest): FakeReply {
    const isKnown =
      headers.authorization === `Bearer ${this.key}` && headers['x-runway-version'] === '2024-11-06';
    if (!isKnown) return { status: 401, json: this.errorBody() };
    if (method === 'POST') {
      const input = JSON.parse(body.toString()) as Record<string, unknown>;
      this.accepted.push({ input: { ...input, path }, words: [...this.words], cancelled: false });
      return { json: { id: `task-${this.accepted.length}` } };
    }
    const id = path.split('/').at(-1) ?? '';
    const found = this.accepted[Number(id.replace('task-', '')) - 1];
    if (found === undefined) return { status: 404, json: this.errorBody() };
    if (method === 'DELETE') {
      found.cancelled = true;
      return { status: 204, bytes: Buffer.alloc(0) };
    }
    const word = (found.words.length > 1 ? found.words.shift() : found.words[0]) ?? 'pending';
    const file = found.input['path'] === '/v1/text_to_image' ? 'fox.png' : 'waves.mp4';
    const made = word === 'succeeded' ? { output: [`${this.origin}/files/${file}`] } : {};
    return { json: { id, createdAt: '2026-11-23T12:00:00Z', ...WORDS[word], ...made } };
  }
}
