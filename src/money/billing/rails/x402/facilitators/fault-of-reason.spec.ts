import { faultOfReason } from './fault-of-reason';

describe('the reasons of facilitators', () => {
  it.each([
    ['invalid_exact_evm_nonce_already_used', 'payment_already_used'],
    ['invalid_exact_evm_insufficient_balance', 'insufficient_funds'],
    ['insufficient_funds', 'insufficient_funds'],
    ['invalid_exact_evm_payload_authorization_valid_before', 'expires_too_soon'],
    ['invalid_exact_evm_payload_authorization_valid_after', 'not_yet_valid'],
    ['invalid_exact_evm_recipient_mismatch', 'wrong_recipient'],
    ['invalid_exact_evm_payload_authorization_value_mismatch', 'wrong_amount'],
    ['invalid_exact_evm_signature', 'invalid_signature'],
    ['eip6492_factory_not_allowed', 'contract_wallet'],
    ['invalid_exact_evm_transaction_failed', 'refused'],
    ['a word that somebody may invent tomorrow', 'refused'],
    [undefined, 'refused'],
    [{ nested: true }, 'refused'],
  ])('reads %p', (reason, fault) => {
    expect(faultOfReason(reason)).toBe(fault);
  });
});
