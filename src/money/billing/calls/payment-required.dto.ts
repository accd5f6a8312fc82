import { SchemaField } from '#platform/http/routes/fields';
import type { Offer } from '../rails/x402/challenge/challenge-header';
import type { v1RequirementsOf } from '../rails/x402/challenge/requirements';
import { ErrorAnswer } from './error-answer.dto';

/**
 * A 402 that the caller can pay. It contains the requirements of the header in the form of the protocol's first
 * version.
 */
export class PaymentRequiredAnswer extends ErrorAnswer {
  @SchemaField({ optional: true }, { type: 'integer', enum: [1] }) readonly x402Version?: number;
  @SchemaField(
    { optional: true, about: 'The payment requirements, for clients of the first version.' },
    { type: 'array', items: { type: 'object' } },
  )
  readonly accepts?: ReturnType<typeof v1RequirementsOf>;
  @SchemaField(
    { optional: true, about: 'The whole extensions of x402. The header has only a short form of them.' },
    { type: 'object' },
  )
  readonly extensions?: Readonly<Record<string, unknown>>;
  @SchemaField(
    {
      optional: true,
      about: 'All offers of the second version, if the header has room for only some of them.',
    },
    { type: 'array', items: { type: 'object' } },
  )
  readonly offers?: readonly Offer[];
}
