import { randomUUID } from 'node:crypto';

import results from '../../src/models/providers/fal/fixtures/results.json';
import statuses from '../../src/models/providers/fal/fixtures/statuses.json';
import submitted from '../../src/models/providers/fal/fixtures/submitted.json';
import { FakeProvider, type FakeReply, type FakeRequest, VENDOR_WORDS } from './fake-provider';

type Word = keyof typeof statuses;

export interface FakeFalRequest {
  readonly id: string;
  readonly model: string;
  readonly input: Readonly<Record<string, unknown>>;
  words: Word[];
  cancelled: boolean;
}

/** The queue of fal, on loopback. It records the accepted and the cancelled work. */
export class FakeFal extends FakeProvider {
  readonly key = 'fake-fal-id:fake-fal-secret-0123456789';
  readonly accepted: FakeFalRequest[] = [];
  /** The statuses of a request, in order. The last one repeats. */
  words: Word[] = ['queued', 'running', 'completed'];
  /** Its price for a unit of a model. */
  readonly prices: Record<
    string,
    { readonly unit_price: number; readonly unit: string; readonly currency?: string }
  > = {};
  /** The result that it returns instead of its own file. */
  result: unknown;
  /** Whether it reports every request as removed from its queue, although some continue. */
  removesAll = false;
  /** The answer to the next submissions, instead of its own. */
  readonly receipts: unknown[] = [];

  static start(): Promise<FakeFal> {
    return new FakeFal().start();
  }

  get env(): Readonly<Record<string, string>> {
    return { FAL_BASE_URL: this.origin, FAL_API_URL: `${this.origin}/platform/v1`, FAL_KEY: this.key };
  }

  protected operationOf({ method, path }: FakeRequest): string {
    if (method === 'POST') return 'submit';
    if (method === 'PUT') return 'cancel';
    if (path.startsWith('/platform/')) return 'pricing';
    return path.endsWith('/status') ? 'status' : 'result';
  }

  protected errorBody(status: number): unknown {
    const detail = [{ loc: ['body', 'prompt'], msg: VENDOR_WORDS, type: 'content_policy_violation' }];
    return status < 500 ? { detail } : { detail: `${VENDOR_WORDS} fal` };
  }

  protected answer(request: FakeRequest): FakeReply {
    if (request.headers.authorization !== `Key ${this.key}`)
      return { status: 401, json: this.errorBody(401) };
    if (request.method === 'POST') return this.submit(request);
    if (this.operationOf(request) === 'pricing') return this.pricing(request);
    const id = request.path.split('/requests/')[1]?.split('/')[0];
    const found = this.accepted.find((each) => each.id === id);
    if (found === undefined) return { status: 404, json: { detail: 'Request not found' } };
    switch (this.operationOf(request)) {
      case 'cancel':
        return this.cancel(found);
      case 'status': {
        const word = found.words.length > 1 ? found.words.shift() : found.words[0];
        return { status: word === 'completed' ? 200 : 202, json: statuses[word ?? 'queued'] };
      }
      default:
        return { json: this.result ?? this.fileOf(found) };
    }
  }

  /** A waiting request leaves the queue. A running one is notified, and continues. */
  private cancel(request: FakeFalRequest): FakeReply {
    request.cancelled = true;
    const [word] = request.words;
    if (this.removesAll) return { json: { status: 'OK' } };
    if (word === 'completed' || word === 'failed')
      return { status: 400, json: { status: 'ALREADY_COMPLETED' } };
    if (word === 'queued') request.words = ['cancelled'];
    return { status: 202, json: { status: 'CANCELLATION_REQUESTED' } };
  }

  private pricing({ query }: FakeRequest): FakeReply {
    const wanted = query.getAll('endpoint_id').flatMap((ids) => ids.split(','));
    const prices = wanted.flatMap((id) => {
      const price = this.prices[id];
      return price === undefined ? [] : [{ endpoint_id: id, currency: 'USD', ...price }];
    });
    return { json: { prices, next_cursor: null, has_more: false } };
  }

  private submit({ path, body }: FakeRequest): FakeReply {
    const model = path.slice(1);
    const id = randomUUID();
    const input = JSON.parse(body.toString()) as Record<string, unknown>;
    this.accepted.push({ id, model, input, words: [...this.words], cancelled: false });
    if (this.receipts.length > 0) return { json: this.receipts.shift() };
    const address = `${this.origin}/${model.split('/').slice(0, 2).join('/')}/requests/${id}`;
    const urls = { response_url: address, status_url: `${address}/status`, cancel_url: `${address}/cancel` };
    return { json: { ...submitted, request_id: id, ...urls } };
  }

  private fileOf({ input }: FakeFalRequest): unknown {
    return 'duration' in input || 'video_url' in input
      ? { video: { ...results.video.video, url: `${this.origin}/files/waves.mp4` } }
      : { ...results.image, images: [{ ...results.image.images[0], url: `${this.origin}/files/fox.png` }] };
  }
}
