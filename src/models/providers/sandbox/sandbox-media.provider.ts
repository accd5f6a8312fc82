import { setTimeout as pause } from 'node:timers/promises';

import { newId } from '#kernel/ids';
import { withoutAbsent } from '#kernel/present';
import { Database } from '#platform/database/database';
import { sharp } from '#platform/media/image-library';
import { tableOf } from '#platform/database/table';
import {
  type Cancellation,
  type Lookup,
  MediaProvider,
  type MediaRequest,
  type MediaResult,
  type OperationStatus,
  doneWith,
} from '../media-provider';
import { kindOf } from '../media-mode';
import { ProviderFailed, ProviderUnavailable } from '../providers.errors';
import { dimensionsOf } from './dimensions';
import { type Directives, directivesIn } from './directives';
import { filmPrompt } from './film';
import { drawPrompt } from './picture';
import { SandboxOperation } from './sandbox-operation.entity';

const FAIL_AFTER_MS = 2_000;
/** Films are always small; `film.ts` says why. */
const FILM_EDGE_MAX = 320;

const OPERATIONS = tableOf(SandboxOperation);

const neededMs = ({ fail, delayMs = 0 }: Directives): number => (fail ? FAIL_AFTER_MS : delayMs);

/** The media of the call beside its usual inputs. The result names them, so that a caller sees that they arrived. */
const worksIn = ({ sources = [], mask, lastFrame, extend }: MediaRequest): readonly string[] => [
  ...(sources.length === 0 ? [] : [`${sources.length + 1} pictures`]),
  ...Object.keys(withoutAbsent({ mask, lastFrame, extend })),
];

/** The text in a picture. A different seed gives a different picture of the same prompt. */
const wordsOf = ({ prompt, seed, negativePrompt, works = [] }: SandboxOperation['request']): string =>
  [
    prompt,
    ...(negativePrompt === undefined ? [] : [`without ${negativePrompt}`]),
    ...(seed === undefined ? [] : [`seed ${seed}`]),
    ...(works.length === 0 ? [] : [`from ${works.join(', ')}`]),
  ].join(' ');

const isStoppable = ({ request, ageMs }: SandboxOperation): boolean => {
  const directives = directivesIn(request.prompt);
  return !directives.uncancellable && (directives.lost || ageMs < neededMs(directives));
};

/**
 * Deterministic and offline. Its operations are rows of a table, so that any process can poll them, as with a remote
 * provider.
 */
export class SandboxMediaProvider extends MediaProvider {
  readonly name = 'sandbox';
  readonly pollMs = 300;
  override readonly isOurs = true;

  constructor(private readonly db: Database) {
    super();
  }

  async submit(request: MediaRequest, signal: AbortSignal): Promise<{ readonly providerRef: string }> {
    const directives = directivesIn(request.prompt);
    if (directives.reject) throw new ProviderFailed();
    if (directives.timeout) await pause(2 ** 31 - 1, undefined, { signal, ref: false });
    const { mode, prompt, seconds, imageSize, resolution, usualRatio, seed, negativePrompt, n } = request;
    const { aspectRatio = usualRatio } = request;
    const works = worksIn(request);
    const shape = { seconds, imageSize, resolution, aspectRatio };
    const kept = JSON.stringify({ mode, prompt, ...shape, seed, negativePrompt, works, n });
    const row = await this.db.one<{ id: string }>(
      `insert into sandbox_operation as o (id, reference, request) values ($1, $2, $3)
       on conflict (reference) do update set reference = o.reference returning id`,
      [newId('sbx'), request.ourId, kept],
      'sandbox-operation-open',
    );
    if (row === undefined) throw new ProviderUnavailable();
    return { providerRef: row.id };
  }

  override async lookup(ourId: string): Promise<Lookup> {
    const row = await this.db.one<{ id: string }>(
      'select id from sandbox_operation where reference = $1',
      [ourId],
      'sandbox-operation-look-up',
    );
    return row === undefined ? { found: 'nothing' } : { found: 'accepted', providerRef: row.id };
  }

  override async stop(providerRef: string): Promise<void> {
    await this.db.rows(
      'update sandbox_operation set cancelled = true where id = $1',
      [providerRef],
      'sandbox-operation-stop',
    );
  }

  /** The sandbox never bills, so it stops all unfinished work, unless a directive forbids that. */
  override async cancel(providerRef: string): Promise<Cancellation> {
    const operation = await this.find(providerRef);
    if (operation === undefined) return 'unknown';
    if (!operation.cancelled && !isStoppable(operation)) return 'billed';
    await this.stop(providerRef);
    return 'stopped-unbilled';
  }

  async status(providerRef: string): Promise<OperationStatus> {
    const operation = await this.find(providerRef);
    if (operation === undefined || operation.cancelled) return { state: 'failed', reason: 'cancelled' };
    const { request, ageMs: age } = operation;
    const directives = directivesIn(request.prompt);
    if (directives.lost) throw new ProviderUnavailable();
    const needs = neededMs(directives);
    if (age < needs) return { state: 'running', progress: Math.floor((age / needs) * 99) };
    return (
      (directives.fail ? undefined : doneWith(await this.makeAll(request))) ?? {
        state: 'failed',
        reason: 'asked to fail',
      }
    );
  }

  private async find(id: string): Promise<SandboxOperation | undefined> {
    const row = await this.db.one(
      `select ${OPERATIONS.columns} from sandbox_operation where id = $1`,
      [id],
      'sandbox-operation-find',
    );
    return row && OPERATIONS.read(row);
  }

  /** Several pictures of one call differ, so that callers can distinguish them. */
  private makeAll(request: SandboxOperation['request']): Promise<readonly MediaResult[]> {
    const { n = 1, works = [] } = request;
    return Promise.all(
      Array.from({ length: n }, async (_, at) => ({
        data: await this.make(at === 0 ? request : { ...request, works: [...works, `picture ${at + 1}`] }),
      })),
    );
  }

  private async make(request: SandboxOperation['request']): Promise<Buffer> {
    const { width, height } = dimensionsOf(request);
    if (kindOf(request.mode) === 'image') {
      const { pixels } = drawPrompt(wordsOf(request), width, height);
      return sharp(pixels, { raw: { width, height, channels: 4 } })
        .withExif({ IFD0: { Software: 'Lamppost sandbox' } })
        .png({ compressionLevel: 6 })
        .toBuffer();
    }
    const shrink = Math.min(1, FILM_EDGE_MAX / Math.max(width, height));
    const even = (value: number): number => Math.max(16, Math.round((value * shrink) / 16) * 16);
    return filmPrompt(wordsOf(request), even(width), even(height), request.seconds ?? 1);
  }
}
