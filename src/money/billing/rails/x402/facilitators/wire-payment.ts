import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';

import { checksummed } from '#kernel/wallet-address';
import { TIMEOUT_SECONDS_MIN, requirementOf } from '../challenge/requirements';
import type { SignedPayment } from '../proof/signed-payment';
import type { X402Settings } from '../x402.settings';

/**
 * A payment in the form for facilitators: only the signed part and the plain requirement. Some facilitators refuse
 * unknown fields, and other fields of the client are unchecked.
 */
export const wirePayment = (
  payment: SignedPayment,
  settings: X402Settings['x402'],
): { readonly payload: PaymentPayload; readonly requirement: PaymentRequirements } => {
  const requirement = requirementOf(
    settings,
    payment.amount,
    TIMEOUT_SECONDS_MIN,
  ) as unknown as PaymentRequirements;
  const authorization = {
    from: checksummed(payment.payer),
    to: checksummed(payment.payTo),
    value: payment.amount.toString(),
    validAfter: payment.validAfter.toString(),
    validBefore: payment.validBefore.toString(),
    nonce: payment.nonce,
  };
  const payload = {
    x402Version: 2,
    accepted: requirement,
    payload: { authorization, signature: payment.signature },
  };
  return { payload, requirement };
};
