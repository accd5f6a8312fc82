import type { Readable } from 'node:stream';

import type { Micro } from '../kernel/money';
import type { MediaKind, MediaMode } from './media-mode';
import type { ProviderName } from './provider-name';

/** A source medium of a call: our own screened copy, never the caller's address. */
export interface MediaInput {
  readonly kind: MediaKind;
  readonly mime: string;
  readonly bytes: number;
  /** The bytes, as often as an adapter wants them. */
  open(): Promise<Readable>;
}

/** How large a medium is to be, in the words of the catalog. */
export interface MediaSize {
  readonly resolution?: string;
  readonly imageSize?: string;
  readonly aspectRatio?: string;
}

export interface MediaRequest extends MediaSize {
  /** The provider's own name of the model. */
  readonly model: string;
  readonly mode: MediaMode;
  readonly prompt: string;
  readonly image?: MediaInput;
  readonly image2?: MediaInput;
  readonly video?: MediaInput;
  readonly seconds?: number;
  readonly audio: boolean;
  /** For so long a caller waits for the work; a submission that waits for more than a word waits no longer. */
  readonly patienceMs?: number;
  /** Our job, sent along as the client's own id or idempotency key where the provider takes one. */
  readonly ourId: string;
}

/** Where a finished medium can be had: an address to fetch through the guard, or the bytes themselves. */
export type MediaResult =
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly data: Buffer };

export type OperationStatus =
  | { readonly state: 'running'; readonly progress?: number }
  /** `cost` is the provider's own bill, where it tells one. */
  | { readonly state: 'done'; readonly result: MediaResult; readonly cost?: Micro }
  | { readonly state: 'failed'; readonly reason: string };

/** What a provider knows of a submission whose answer we never got. */
export type Lookup =
  | { readonly found: 'accepted'; readonly providerRef: string }
  | { readonly found: 'nothing' }
  /** The provider has no look-up by our id: nobody can say. */
  | { readonly found: 'unknown' };

/**
 * What became of a cancellation: the work has stopped and nobody bills it; it is billed, or will be; or nobody can say,
 * and what the provider says of the work later decides.
 */
export type Cancellation = 'stopped-unbilled' | 'billed' | 'unknown';

/** What one unit of a model costs at its provider now. */
export interface UnitCost {
  readonly unit: 'image' | 'second';
  readonly cost: Micro;
}

/**
 * Makes media at one provider. `submit` throws `ProviderFailed` when the provider refused the work for good, `NotServed`
 * when it is not for this provider (another route may do it), `ProviderUnavailable` when it surely did not take it
 * (another may), and `SubmissionInDoubt` when nobody knows.
 */
export abstract class MediaProvider {
  abstract readonly name: ProviderName;
  /** How long to wait between two looks at one operation. */
  abstract readonly pollMs: number;
  /** It works in our own process: what it takes long for is no silence of somebody outside. */
  readonly isOurs: boolean = false;

  abstract submit(request: MediaRequest, signal: AbortSignal): Promise<{ readonly providerRef: string }>;

  /** A word that isn't known means still running: only an explicit failure refunds anybody. */
  abstract status(providerRef: string, model: string, signal: AbortSignal): Promise<OperationStatus>;

  lookup(_ourId: string, _model: string, _signal: AbortSignal): Promise<Lookup> {
    return Promise.resolve({ found: 'unknown' });
  }

  /** Current costs by the provider's own names, of those models that it prices in a unit of ours. Not all tell them. */
  unitCosts?(models: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, UnitCost>>;

  /** For work that nobody wants any more, whatever it has cost. Best effort: what can't be stopped runs on at our cost. */
  stop(_providerRef: string, _model: string, _signal: AbortSignal): Promise<void> {
    return Promise.resolve();
  }

  /**
   * For a caller who wants his money back: stops work that the provider has surely not begun to bill, and no other. May
   * be asked again about work that it has stopped. Absent where nothing can be taken back.
   */
  cancel?(providerRef: string, model: string, signal: AbortSignal): Promise<Cancellation>;

  /** Lets go of its connections. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
