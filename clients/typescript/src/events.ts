import type { Schemas } from './answers.ts';

type JobData = Pick<Schemas['ListedJob'], 'id'> & Schemas['JobAnswer'];
type ChargeData = Omit<Schemas['ReceiptAnswer'], 'jws'>;

/** The data of an event, by its type. */
export interface EventData {
  'job.accepted': JobData;
  'job.done': JobData;
  'job.failed': JobData;
  'charge.charged': ChargeData;
  'charge.released': ChargeData;
  'charge.refunded': ChargeData;
  'balance.topped_up': {
    readonly amountMicro: number;
    readonly balanceMicro: number;
    readonly transaction?: string;
  };
  'balance.low': { readonly balanceMicro: number; readonly limitMicro: number };
  'top_up.failed': {
    readonly amountMicro: number;
    readonly reason: 'declined' | 'authentication_needed' | 'card_gone' | 'failed';
    readonly failures: number;
    readonly isOff: boolean;
  };
  'spend.high': { readonly day: string; readonly spentMicro: number; readonly limitMicro: number };
  'key.limit_near': {
    readonly id: string;
    readonly name: string;
    readonly prefix: string;
    readonly percent: number;
    readonly window: '30 days' | 'day' | 'month' | 'total';
    readonly spentMicro: number;
    readonly limitMicro: number;
  };
  'key.expiring': {
    readonly id: string;
    readonly name: string;
    readonly prefix: string;
    readonly expiresAt: string;
  };
  'reference.ready': Schemas['ReferenceAnswer'];
  'webhook.disabled': Schemas['WebhookAnswer'];
  /** A model that the owner used in the last 30 days has another price. */
  'model.changed': {
    readonly id: string;
    readonly name: string;
    readonly price: Readonly<Record<string, unknown>>;
    readonly before: Readonly<Record<string, unknown>>;
  };
  /** Such a model is not for sale for now, because of its vendor's new price. `price` is the last one. */
  'model.unavailable': {
    readonly id: string;
    readonly name: string;
    readonly price: Readonly<Record<string, unknown>>;
    readonly forSale: false;
  };
  /** Such a model is no longer sold. */
  'model.retired': {
    readonly id: string;
    readonly name: string;
    readonly price: Readonly<Record<string, unknown>>;
    readonly retiredOn: string;
    readonly replacedBy?: string;
  };
}

export type EventType = keyof EventData;

/** An event of a job, a charge, a balance, a key, a reference, a webhook or a model. `type` determines the fields of `data`. */
export type LamppostEvent = {
  readonly [Type in EventType]: Omit<Schemas['EventAnswer'], 'type' | 'data'> & {
    readonly type: Type;
    readonly data: EventData[Type];
  };
}[EventType];

/** An event in a webhook, with its recipient. */
export type WebhookEvent = LamppostEvent & {
  readonly recipient: { readonly owner: string; readonly endpoint?: string };
};
