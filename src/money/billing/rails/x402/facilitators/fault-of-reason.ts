import type { PaymentFault } from '../proof/payment-fault-messages';

/** Facilitators spell one fault in different ways. The first match decides. */
const SPELLINGS: readonly (readonly [RegExp, PaymentFault])[] = [
  [/nonce.*(used|already)|already.*(used|settled)|duplicate/, 'payment_already_used'],
  [/insufficient_(balance|funds)|(balance|funds).*insufficient/, 'insufficient_funds'],
  [/factory|undeployed|smart_wallet/, 'contract_wallet'],
  [/valid_before|expired/, 'expires_too_soon'],
  [/valid_after|not_yet/, 'not_yet_valid'],
  [/recipient|pay_?to/, 'wrong_recipient'],
  [/value|amount/, 'wrong_amount'],
  [/signature/, 'invalid_signature'],
];

/** Translates a facilitator's reason into our fault. An unknown reason is `refused`. */
export const faultOfReason = (reason: unknown): PaymentFault => {
  const text = typeof reason === 'string' ? reason.toLowerCase() : '';
  return SPELLINGS.find(([spelling]) => spelling.test(text))?.[1] ?? 'refused';
};
