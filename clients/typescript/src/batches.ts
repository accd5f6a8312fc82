import type { Batch, Schemas } from './answers.ts';
import type { Api } from './api.ts';
import type { Budget, Reservation } from './budget.ts';
import type { Completions, Costly } from './completions.ts';
import { type CallOptions, checkCall, patienceOf } from './options.ts';
import { pause } from './pause.ts';
import { costNothing } from './payer.ts';

export type BatchEndpoint = Schemas['BatchBody']['endpoint'];

export interface BatchOptions extends CallOptions {
  /** If absent, each batch gets a new key. */
  readonly idempotencyKey?: string | undefined;
  readonly endpoint?: BatchEndpoint | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** The answer of one call of a batch. */
export interface BatchResult {
  readonly custom_id: string;
  readonly response: { readonly status_code: number; readonly body: unknown } | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

const PATH = '/v1/batches';
const FILES = '/v1/files';
const POLL_MS = 1_000;
const POLL_MS_MAX = 30_000;
const ENDED = /^(completed|failed|expired|cancelled)$/;

const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

/** Up to 10,000 conversations that run within a day. */
export class Batches {
  /** @internal */
  constructor(
    private readonly api: Api,
    private readonly budget: Budget,
    private readonly completions: Completions,
    /** The name of a call in the budget, by its idempotency key. */
    private readonly nameOf: (mark: string) => Promise<string>,
  ) {}

  /**
   * Begins calls: the body of each, by a name of yours. A budget counts each call with its `maxPriceMicro`, or else with
   * the most that it can cost. The same calls with the same `idempotencyKey` are the same batch.
   *
   * @example
   * const hello = { messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 50 };
   * const { id } = await lamppost.batches.create({ first: hello });
   * await lamppost.batches.wait(id);
   * const { first } = await lamppost.batches.results(id);
   */
  readonly create = async (
    calls: Readonly<Record<string, object>>,
    options: BatchOptions = {},
  ): Promise<Batch> => {
    checkCall(options, 'batches.create()', 'idempotencyKey', 'endpoint', 'metadata');
    const { idempotencyKey = crypto.randomUUID(), endpoint = '/v1/chat/completions', metadata } = options;
    const { isLimited } = this.budget;
    const part = { ...patienceOf(options), known: { idempotencyKey } };
    let micro = 0;
    const lines: string[] = [];
    for (const [name, call] of Object.entries(calls)) {
      const { maxPriceMicro } = call as { maxPriceMicro?: number };
      const most =
        maxPriceMicro ?? (isLimited ? await this.completions.mostOf(call as Costly, part) : undefined);
      micro += most ?? 0;
      const body = { ...call, maxPriceMicro: most };
      lines.push(JSON.stringify({ custom_id: name, method: 'POST', url: endpoint, body }));
    }
    const reservation = isLimited ? await this.reserve(await this.nameOf(idempotencyKey), micro) : undefined;
    let isSent = reservation?.isJoined === true;
    let isReplay = false;
    const onResponse = (response: Response): void => {
      isReplay = response.headers.has('idempotent-replayed');
      options.onResponse?.(response);
    };
    try {
      const file = new Blob([lines.join('\n')]);
      const form = { ...part, file, has: 'id' };
      const { id } = await this.api.change<{ id: string }>('POST', FILES, { purpose: 'batch' }, form);
      const wasSent = isSent;
      isSent = true;
      const body = { input_file_id: id, endpoint, completion_window: '24h', metadata };
      const order = { ...part, has: 'request_counts', onResponse };
      const batch = await this.api.change<Batch>('POST', PATH, body, order).catch((error: unknown) => {
        isSent = !costNothing(error, wasSent);
        throw error;
      });
      await reservation?.confirm(micro, isReplay);
      return batch;
    } catch (error) {
      if (isSent) reservation?.leave();
      else await reservation?.release();
      throw error;
    }
  };

  private async reserve(id: string, micro: number): Promise<Reservation> {
    return (await this.budget.find(id)) ?? this.budget.reserve({ id, micro });
  }

  /**
   * The state of a batch.
   *
   * @example
   * for await (const { id } of lamppost.batches.list()) console.log((await lamppost.batches.get(id)).request_counts);
   */
  readonly get = (id: string, options: CallOptions = {}): Promise<Batch> => this.api.get(pathOf(id), options);

  /**
   * Waits until a batch has ended, however long the service is away.
   *
   * @example
   * for await (const { id } of lamppost.batches.list()) console.log((await lamppost.batches.wait(id)).status);
   */
  readonly wait = async (id: string, options: CallOptions = {}): Promise<Batch> => {
    checkCall(options, 'batches.wait()');
    for (let ms = POLL_MS, waits: 'new' | 'known' = 'new'; ; ms = Math.min(POLL_MS_MAX, ms * 1.5)) {
      const more = { ...patienceOf(options), has: 'request_counts', waits };
      const batch = await this.api.get<Batch>(pathOf(id), more);
      if (ENDED.test(batch.status)) return batch;
      waits = 'known';
      await pause(ms, options.signal);
    }
  };

  /**
   * The answers of an ended batch, by the names of its calls.
   *
   * @example
   * for await (const { id, status } of lamppost.batches.list())
   *   if (status === 'completed') console.log(await lamppost.batches.results(id));
   */
  readonly results = async (
    id: string,
    options: CallOptions = {},
  ): Promise<Readonly<Record<string, BatchResult>>> => {
    checkCall(options, 'batches.results()');
    const more = { ...patienceOf(options), waits: 'new' } as const;
    const { output_file_id: output, error_file_id: errors } = await this.api.get<Batch>(pathOf(id), {
      ...more,
      has: 'request_counts',
    });
    const found: Record<string, BatchResult> = {};
    for (const file of [output, errors]) {
      if (typeof file !== 'string') continue;
      const content = await this.api.content(`${FILES}/${encodeURIComponent(file)}/content`, more);
      for (const line of (await content.text()).split('\n')) {
        if (line === '') continue;
        const result = JSON.parse(line) as BatchResult;
        found[result.custom_id] = result;
      }
    }
    return found;
  };

  /**
   * Your batches, newest first.
   *
   * @example
   * for await (const { id, status } of lamppost.batches.list()) console.log(id, status);
   */
  readonly list = (options: CallOptions = {}): AsyncGenerator<Batch, void> => this.pages(options);

  /**
   * Stops a batch. Calls that have not begun cost nothing.
   *
   * @example
   * const slow = { messages: [{ role: 'user', content: 'Hello. [[delay 20s]]' }] };
   * const { id } = await lamppost.batches.create({ first: slow });
   * await lamppost.batches.cancel(id);
   */
  readonly cancel = (id: string, options: CallOptions = {}): Promise<Batch> =>
    this.api.change('POST', `${pathOf(id)}/cancel`, undefined, options);

  private async *pages(options: CallOptions): AsyncGenerator<Batch, void> {
    for (let after: string | undefined; ;) {
      const query = { after };
      const { data, has_more: hasMore } = await this.api.get<Schemas['BatchesAnswer']>(PATH, {
        query,
        has: 'data',
        ...options,
      });
      yield* data;
      after = data.at(-1)?.id;
      if (!hasMore) return;
    }
  }
}
