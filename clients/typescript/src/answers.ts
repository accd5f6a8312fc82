import type { components } from './api.types.ts';
import type { Charge } from './medium.ts';

export type Schemas = components['schemas'];
export type Models = Schemas['ModelsAnswer'];
export type Quote = Schemas['QuoteAnswer'];
export type Batch = Schemas['BatchAnswer'];
export type Job = Schemas['JobAnswer'];
export type ListedJob = Schemas['ListedJob'];
export type Receipt = Schemas['ReceiptAnswer'];
export type Statement = Schemas['StatementAnswer'];
export type Reference = Schemas['ReferenceAnswer'];
export type Key = Schemas['KeyAnswer'];
export type Webhook = Schemas['WebhookAnswer'];
export type Delivery = Schemas['WebhookDeliveryAnswer'];
export type Usage = Schemas['ChatUsage'];

/** Started work: its job, or the address of its result if it is already finished. */
export interface Started {
  readonly jobId?: string;
  readonly url?: string;
  readonly charge: Charge;
  readonly requestId?: string | undefined;
}

export interface Chat {
  readonly text: string;
  readonly usage: Usage;
  readonly charge: Charge;
  /** `stop`, `length` if `maxTokens` was too small, or `content_filter`. */
  readonly finishReason?: string | undefined;
  /** The service's name of the request, for questions to its operator. */
  readonly requestId?: string | undefined;
}

/** A piece of a streamed answer. The last one has the cost. */
export interface ChatPiece {
  readonly text: string;
  readonly charge?: Charge;
  /** Set in the last piece, with the charge. */
  readonly usage?: Schemas['StudioUsage'];
  /** Set in the last piece: why the answer ended. */
  readonly finishReason?: string | undefined;
  readonly requestId?: string | undefined;
}
