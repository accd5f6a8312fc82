import { setImmediate as nextTurn } from 'node:timers/promises';

import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { isAnnouncedRetry } from '#money/billing/calls/calls-underway';
import type { ProvenOwner } from '#money/billing/calls/owners';
import { pricedFor } from '#money/billing/calls/price-class-of-payer';
import { Payers } from '#money/billing/rails/payers';
import { priceAsBatch } from '#work/chat/compatible/batch-discount';
import { DelegatedKeysService } from '#people/delegation/delegated-keys.service';
import { InvalidRequest, NotFound } from '#kernel/app-error';
import { newId } from '#kernel/ids';
import { micro } from '#kernel/money';
import { Slots } from '#kernel/slots';
import { constraintOf } from '#platform/database/error-fields';
import { fingerprintOf } from '#platform/http/body/body-bytes';
import { idempotencyKeyOf } from '#platform/http/routes/idempotency-key';
import { BatchCalls, type BatchEndpoint } from './batch-calls';
import type { Batch } from './batch.entity';
import type { BatchFile } from './batch-file.entity';
import { BatchFileRepository } from './batch-file.repository';
import { BatchFilesService, noSuchFile, ownMark } from './batch-files.service';
import { BATCH_HOURS, OPEN_MAX } from './batch-limits';
import { BatchQueue } from './batch-queue';
import { BatchRepository, type CountedBatch, type NewLine } from './batch.repository';
import type { BatchBody } from './batches.dto';
import { TooManyBatches } from './batches.errors';
import { SETTINGS } from '#platform/config/settings';
import type { BatchSettings } from './batches.settings';
import { IdempotencyMismatch } from '#platform/http/routes/routes.errors';

/** The paying key outlives the batch's day, so that calls which run at the end can finish. */
const KEY_SECONDS = BATCH_HOURS * 3_600 + 900;
/** The number of lines that are read and priced before other requests are served. */
const LINES_AT_ONCE = 20;
/** The number of new batches that a process prices at once, and that wait for each owner. */
const PRICED_AT_ONCE = 2;
const WAITING_MAX = 2;

/** The idempotency key of the paying key of a batch. */
export const keyMarkOf = (batchId: string): string => `batch ${batchId}`;

/** Makes, finds and cancels batches. Their money is the reserve of a delegated key. */
@Injectable()
export class BatchesService {
  /** Pricing ten thousand lines takes seconds of processor time, so each owner prices one batch at a time. */
  private readonly pricing = new Slots(PRICED_AT_ONCE, { perKey: 1 });

  constructor(
    private readonly batches: BatchRepository,
    private readonly stored: BatchFileRepository,
    private readonly files: BatchFilesService,
    private readonly calls: BatchCalls,
    private readonly keys: DelegatedKeysService,
    private readonly payers: Payers,
    private readonly queue: BatchQueue,
    @Inject(SETTINGS) private readonly settings: BatchSettings,
  ) {}

  /** Prices all lines, reserves the most that they can cost, and queues them. A repeated call gets the same batch. */
  async create(
    owner: ProvenOwner,
    order: BatchBody,
    request: FastifyRequest,
  ): Promise<{ readonly found: CountedBatch; readonly repeated: boolean }> {
    const mark = ownMark(owner, idempotencyKeyOf(request));
    const fingerprint = fingerprintOf(request);
    const before = await this.madeBefore(owner, request, mark, fingerprint);
    if (before !== undefined) return { found: before, repeated: true };
    const file = await this.stored.find(owner.view, order.input_file_id);
    if (file === undefined) throw noSuchFile('input_file_id');
    if (this.pricing.waitingOf(owner.id) >= WAITING_MAX)
      throw new TooManyBatches('Other new batches of yours are still being read. Try again in a moment.');
    const { lines, held } = await this.pricing.run(
      () => this.price(owner, file, order.endpoint as BatchEndpoint, request),
      owner.id,
    );
    const id = newId('batch');
    const batch = {
      id,
      owner: owner.id,
      keyId: owner.view.onlyKey,
      payingKeyId: newId('key'),
      endpoint: order.endpoint,
      inputFileId: file.id,
      metadata: order.metadata,
      held: micro(held),
      discountPercent: this.settings.batches.discountPercent,
      total: lines.length,
      mark,
      fingerprint,
    };
    try {
      if (!(await this.batches.add(batch, lines, BATCH_HOURS, OPEN_MAX))) {
        throw new TooManyBatches(
          `You have ${OPEN_MAX} open batches, which is all you can. Wait until one has ended.`,
        );
      }
    } catch (error) {
      if (constraintOf(error) === 'batch_open_file') throw noSuchFile('input_file_id');
      // Two equal calls may run at once; then the other call has created the batch.
      const first =
        constraintOf(error) === 'batch_mark'
          ? await this.madeBefore(owner, request, mark, fingerprint)
          : undefined;
      if (first === undefined) throw error;
      return { found: first, repeated: true };
    }
    return { found: await this.begin(owner, batch), repeated: false };
  }

  /** Reserves the money of a batch, and starts it. A second time has no effect. */
  private async begin(
    owner: ProvenOwner,
    { id, payingKeyId, held }: Pick<Batch, 'id' | 'payingKeyId' | 'held'>,
  ): Promise<CountedBatch> {
    await this.reserve(owner, { id, payingKeyId }, Number(held));
    await this.batches.start(id);
    await this.queue.add([owner.id]);
    return this.find(owner, id);
  }

  async find(owner: ProvenOwner, id: string): Promise<CountedBatch> {
    const found = await this.batches.find(owner.view, id);
    if (found === undefined) throw new NotFound('You have no batch with this id.');
    return found;
  }

  list(owner: ProvenOwner, limit: number, after: string | undefined): Promise<readonly CountedBatch[]> {
    return this.batches.list(owner.view, limit, after);
  }

  /** Running calls continue, and no further call starts. The rest of the money is returned when they have ended. */
  async cancel(owner: ProvenOwner, id: string): Promise<CountedBatch> {
    await this.find(owner, id);
    await this.batches.cancel(id);
    await this.queue.add([owner.id]);
    return this.find(owner, id);
  }

  private async madeBefore(
    owner: ProvenOwner,
    request: FastifyRequest,
    mark: string | undefined,
    fingerprint: Buffer,
  ): Promise<CountedBatch | undefined> {
    if (mark === undefined && !isAnnouncedRetry({ request })) return undefined;
    const before = await this.batches.madeBefore(owner.view, mark, fingerprint);
    if (before === undefined) return undefined;
    if (!before.fingerprint.equals(fingerprint)) throw new IdempotencyMismatch();
    // Its process may have died before it was started.
    return before.status === 'validating'
      ? this.begin(owner, before)
      : this.batches.find(owner.view, before.id);
  }

  private async price(
    owner: ProvenOwner,
    file: BatchFile,
    endpoint: BatchEndpoint,
    request: FastifyRequest,
  ): Promise<{ readonly lines: readonly NewLine[]; readonly held: bigint }> {
    if (file.purpose !== 'batch')
      throw new InvalidRequest('input_file_id must be a file with the purpose batch.', {
        param: 'input_file_id',
      });
    priceAsBatch(request, this.settings.batches.discountPercent);
    const lines = new Map<string, number>();
    let held = 0n;
    for await (const page of this.files.pages(file)) {
      for (const one of page.filter(({ text }) => text.trim() !== '')) {
        const { call, priced: listed } = await this.calls.priced(one, endpoint, request);
        const priced = pricedFor(listed, owner.payer);
        this.payers.check(owner.payer, request, {
          route: 'studio',
          modelId: priced.modelId,
          priceMicro: priced.list,
        });
        const first = lines.get(call.customId);
        if (first !== undefined) {
          throw new InvalidRequest(`Line ${one.line}: custom_id is the same as in line ${first}.`, {
            param: 'input_file_id',
          });
        }
        lines.set(call.customId, one.line);
        held += priced.list;
        if (lines.size % LINES_AT_ONCE === 0) await nextTurn();
      }
    }
    if (lines.size === 0) throw new InvalidRequest('The file holds no call.', { param: 'input_file_id' });
    // Models may be free, and a key can't reserve 0.
    return {
      lines: [...lines].map(([customId, line]) => ({ customId, line })),
      held: held > 0n ? held : 1n,
    };
  }

  private async reserve(
    owner: ProvenOwner,
    { id, payingKeyId }: { readonly id: string; readonly payingKeyId: string },
    limitMicro: number,
  ): Promise<void> {
    try {
      await this.keys.createForWork(owner, {
        id: payingKeyId,
        name: id,
        limitMicro,
        expiresInSeconds: KEY_SECONDS,
        mark: keyMarkOf(id),
      });
    } catch (error) {
      await this.batches.forget(id);
      throw error;
    }
  }
}
