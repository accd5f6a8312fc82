import type { Readable } from 'node:stream';

import type { Micro } from '#kernel/money';
import type { MediaKind, MediaMode } from './media-mode';
import type { ProviderName } from './provider-name';
import type { TextUsage } from './text-provider';

/** A source medium of a call. It is our own screened copy, never the caller's address. */
export interface MediaInput {
  readonly kind: MediaKind;
  readonly mime: string;
  readonly bytes: number;
  /** Opens the bytes. Each call starts at the first byte. */
  open(): Promise<Readable>;
}

/** The size of a medium, in the terms of the catalog. */
export interface MediaSize {
  readonly resolution?: string;
  readonly imageSize?: string;
  readonly aspectRatio?: string;
  /** The ratio of work from a picture without `aspectRatio`, at a vendor that can't keep the shape of the picture. */
  readonly usualRatio?: string;
}

export interface MediaRequest extends MediaSize {
  /** The provider's own name of the model. */
  readonly model: string;
  readonly mode: MediaMode;
  readonly prompt: string;
  readonly image?: MediaInput;
  readonly image2?: MediaInput;
  readonly video?: MediaInput;
  /** With the same model and call, the same number tends to give the same result. */
  readonly seed?: number;
  /** A description of content that the result should not show. */
  readonly negativePrompt?: string;
  /** Additional pictures beside `image`, in their order. */
  readonly sources?: readonly MediaInput[];
  /** A mask: white where `image` is repainted, black where it stays. */
  readonly mask?: MediaInput;
  /** The last picture of a film whose first one is `image`. */
  readonly lastFrame?: MediaInput;
  /** The clip that the film should continue. */
  readonly extend?: MediaInput;
  /** The quality of a picture, for models whose price depends on it. */
  readonly quality?: string;
  /** The number of results of this request; 1 by default. */
  readonly n?: number;
  readonly seconds?: number;
  readonly audio: boolean;
  /** The time for which the caller waits. A submission that waits for a result must end within this time. */
  readonly patienceMs?: number;
  /** The vendor's bill for these tokens, if it bills a result by its tokens. */
  readonly billOf?: (tokens: TextUsage) => Micro;
  /** The id of our job. It is sent as the client's own id or idempotency key if the provider accepts one. */
  readonly ourId: string;
}

/** The finished medium: an address to fetch through the guard, or the bytes themselves. */
export type MediaResult =
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly data: Buffer };

export type OperationStatus =
  | { readonly state: 'running'; readonly progress?: number }
  /** `cost` is the provider's own bill, if it reports one. */
  | {
      readonly state: 'done';
      readonly result: MediaResult;
      /** The further results, if the request asked for several. */
      readonly further?: readonly MediaResult[];
      readonly cost?: Micro;
    }
  | { readonly state: 'failed'; readonly reason: string };

/** The state of finished work with these results; undefined if there are none. */
export const doneWith = ([result, ...further]: readonly MediaResult[]): OperationStatus | undefined => {
  if (result === undefined) return undefined;
  return further.length === 0 ? { state: 'done', result } : { state: 'done', result, further };
};

/** The answer of a provider that is asked for a submission whose answer was lost. */
export type Lookup =
  | { readonly found: 'accepted'; readonly providerRef: string }
  | { readonly found: 'nothing' }
  /** The provider has no look-up by our id, so the submission stays unknown. */
  | { readonly found: 'unknown' };

/**
 * The outcome of a cancellation. `stopped-unbilled`: the provider stopped the work and bills nothing. `billed`: the
 * provider bills the work, now or later. `unknown`: later polls of the work decide.
 */
export type Cancellation = 'stopped-unbilled' | 'billed' | 'unknown';

/** The current cost of one unit of a model at its provider. */
export interface UnitCost {
  readonly unit: 'image' | 'second';
  readonly cost: Micro;
}

/**
 * Makes media at one provider. `submit` throws one of four errors. `ProviderFailed`: the provider refused the work for
 * good. `NotServed`: the provider does not do such work, so another route may. `ProviderUnavailable`: the provider
 * certainly did not accept the work, so another route may. `SubmissionInDoubt`: the provider may have accepted the
 * work.
 */
export abstract class MediaProvider {
  abstract readonly name: ProviderName;
  /** The interval between two polls of one operation. */
  abstract readonly pollMs: number;
  /** True if the provider runs in our own process. Its slow work is then no failure of a remote service. */
  readonly isOurs: boolean = false;

  abstract submit(request: MediaRequest, signal: AbortSignal): Promise<{ readonly providerRef: string }>;

  /** An unknown state means "still running": only an explicit failure may cause a refund. */
  abstract status(providerRef: string, model: string, signal: AbortSignal): Promise<OperationStatus>;

  lookup(_ourId: string, _model: string, _signal: AbortSignal): Promise<Lookup> {
    return Promise.resolve({ found: 'unknown' });
  }

  /**
   * Asks for the present costs of models, by the provider's own names. The answer contains only models with a price per
   * image or per second. Absent if the provider reports no costs.
   */
  unitCosts?(models: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, UnitCost>>;

  /**
   * Stops work whose result is no longer needed, even if the provider bills the work. Work that can't be stopped
   * continues at our cost.
   */
  stop(_providerRef: string, _model: string, _signal: AbortSignal): Promise<void> {
    return Promise.resolve();
  }

  /**
   * Cancels work for a caller who wants a refund. Stops only work that the provider certainly has not started to bill.
   * A second call for stopped work has the same outcome. Absent if the provider can't cancel.
   */
  cancel?(providerRef: string, model: string, signal: AbortSignal): Promise<Cancellation>;

  /** Closes the connections to the provider. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
