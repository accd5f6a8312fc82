import { FakeProvider, type FakeReply, type FakeRequest, VENDOR_WORDS } from './fake-provider';

const WORDS = {
  pending: { status: 'Pending', result: null, progress: null },
  drawing: { status: 'Pending', result: null, progress: 0.4 },
  ready: { status: 'Ready', progress: 1 },
  moderated: { status: 'Content Moderated', result: null, details: { 'Moderation Reasons': [VENDOR_WORDS] } },
} as const;

type Word = keyof typeof WORDS;

/** The FLUX models of Black Forest Labs, on loopback. It records the accepted work. */
export class FakeBfl extends FakeProvider {
  readonly key = 'bfl-fake-key-0123456789';
  readonly accepted: { readonly model: string; readonly input: Record<string, unknown>; words: Word[] }[] =
    [];
  words: Word[] = ['pending', 'drawing', 'ready'];
  /** The address for polling that its answers contain. */
  pollingAt: string | undefined;

  static start(): Promise<FakeBfl> {
    return new FakeBfl().start();
  }

  get env(): Readonly<Record<string, string>> {
    return { BFL_BASE_URL: `${this.origin}/v1`, BFL_API_KEY: this.key };
  }

  protected operationOf({ method }: FakeRequest): string {
    return method === 'POST' ? 'submit' : 'status';
  }

  protected errorBody(status: number): unknown {
    return { detail: status === 422 ? [{ type: 'value_error', msg: VENDOR_WORDS }] : VENDOR_WORDS };
  }

  protected answer(request: FakeRequest): FakeReply {
    if (request.headers['x-key'] !== this.key) return { status: 403, json: this.errorBody(403) };
    if (request.method === 'POST') {
      const input = JSON.parse(request.body.toString()) as Record<string, unknown>;
      const id = `work-${this.accepted.length + 1}`;
      this.accepted.push({ model: request.path.split('/').at(-1) ?? '', input, words: [...this.words] });
      const polling = `${this.pollingAt ?? this.origin}/v1/get_result?id=${id}`;
      return { json: { id, polling_url: polling, cost: 3, input_mp: 0, output_mp: 1 } };
    }
    const id = request.query.get('id') ?? '';
    const found = this.accepted[Number(id.replace('work-', '')) - 1];
    if (found === undefined) return { json: { id, status: 'Task not found', result: null } };
    const word = (found.words.length > 1 ? found.words.shift() : found.words[0]) ?? 'pending';
    const result = { result: { sample: `${this.origin}/files/fox.png` } };
    return { json: { id, ...WORDS[word], ...(word === 'ready' ? result : {}) } };
  }
}
