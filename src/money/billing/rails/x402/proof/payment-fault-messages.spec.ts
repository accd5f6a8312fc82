import { FAULTS } from './payment-fault-messages';

describe('why a payment is not taken', () => {
  it('is in the words of the protocol, which clients act upon', () => {
    const wires = Object.fromEntries(Object.entries(FAULTS).map(([fault, { wire }]) => [fault, wire]));

    expect(wires).toEqual({
      malformed: 'invalid_payload',
      bad_credential: 'invalid_payload',
      unsupported_version: 'invalid_x402_version',
      wrong_scheme: 'unsupported_scheme',
      wrong_network: 'invalid_network',
      wrong_asset: 'invalid_payment_requirements',
      wrong_recipient: 'invalid_exact_evm_payload_recipient_mismatch',
      wrong_amount: 'invalid_exact_evm_payload_authorization_value',
      bad_payment_id: 'invalid_payload',
      payer_mismatch: 'payer_mismatch',
      bad_quote: 'invalid_payment_requirements',
      not_yet_valid: 'invalid_exact_evm_payload_authorization_valid_after',
      expires_too_soon: 'invalid_exact_evm_payload_authorization_valid_before',
      expires_too_late: 'invalid_exact_evm_payload_authorization_valid_before',
      invalid_signature: 'invalid_exact_evm_payload_signature',
      payment_already_used: 'payment_already_used',
      insufficient_funds: 'insufficient_funds',
      contract_wallet: 'invalid_exact_evm_payload_signature',
      one_at_a_time: 'payment_pending',
      fee_too_high: 'transaction_failed',
      wasteful: 'transaction_failed',
      refused: 'transaction_failed',
    });
  });

  it('ends with what to do, in a sentence', () => {
    for (const { message } of Object.values(FAULTS)) expect(message).toMatch(/^[A-Z].{20,}\.$/);
  });
});
