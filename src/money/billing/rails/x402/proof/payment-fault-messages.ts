interface FaultText {
  /** The nearest code of the x402 protocol. */
  readonly wire: string;
  /** The message: the fault and the remedy. */
  readonly message: string;
}

/** The faults of a payment, in our own words. A caller never sees a facilitator's words. */
export const FAULTS = {
  malformed: {
    wire: 'invalid_payload',
    message:
      'The payment header is not a base64 JSON payment of x402 with an EIP-3009 authorization; build it from the requirements of this answer.',
  },
  bad_credential: {
    wire: 'invalid_payload',
    message:
      'The Payment credential does not answer a challenge of this service; answer the evm charge in WWW-Authenticate.',
  },
  unsupported_version: {
    wire: 'invalid_x402_version',
    message: 'This x402Version is not supported; send version 2 or 1.',
  },
  wrong_scheme: {
    wire: 'unsupported_scheme',
    message:
      'Only the scheme exact with an EIP-3009 authorization is taken; sign the requirement offered here.',
  },
  wrong_network: {
    wire: 'invalid_network',
    message: 'The payment is for another network; sign for a network of these requirements.',
  },
  wrong_asset: {
    wire: 'invalid_payment_requirements',
    message: 'The payment is in another token; sign for the asset of this requirement.',
  },
  wrong_recipient: {
    wire: 'invalid_exact_evm_payload_recipient_mismatch',
    message: 'The payment goes to another wallet; sign for the payTo of this requirement.',
  },
  wrong_amount: {
    wire: 'invalid_exact_evm_payload_authorization_value',
    message: 'The signed amount is not the price of this call; sign exactly the amount of this requirement.',
  },
  bad_payment_id: {
    wire: 'invalid_payload',
    message: 'A payment-identifier is 16 to 128 letters, digits, - or _; send a well-formed one or none.',
  },
  payer_mismatch: {
    wire: 'payer_mismatch',
    message:
      'The field payer names another wallet than the one that signed; sign with that wallet or leave payer out.',
  },
  bad_quote: {
    wire: 'invalid_payment_requirements',
    message: 'The quote in accepted.extra was made for another call; sign the requirement of this answer.',
  },
  not_yet_valid: {
    wire: 'invalid_exact_evm_payload_authorization_valid_after',
    message: 'The authorization is not valid yet; sign one whose validAfter is in the past.',
  },
  expires_too_soon: {
    wire: 'invalid_exact_evm_payload_authorization_valid_before',
    message: 'The authorization ends before this call can; sign one that is valid for maxTimeoutSeconds.',
  },
  expires_too_late: {
    wire: 'invalid_exact_evm_payload_authorization_valid_before',
    message: 'The authorization is valid for over 24 hours; sign one that is valid for maxTimeoutSeconds.',
  },
  invalid_signature: {
    wire: 'invalid_exact_evm_payload_signature',
    message:
      "The signature is not the payer's; sign this requirement with the wallet that the authorization names. A contract wallet must say so for little gas.",
  },
  payment_already_used: {
    wire: 'payment_already_used',
    message: 'This payment was used before, for another call or elsewhere; sign a new one for this call.',
  },
  insufficient_funds: {
    wire: 'insufficient_funds',
    message:
      'The wallet does not hold enough of the asset for this and its other open calls; fund it, then sign again.',
  },
  contract_wallet: {
    wire: 'invalid_exact_evm_payload_signature',
    message:
      'Signatures of contract wallets cannot be checked here; pay with a wallet that has a key of its own.',
  },
  one_at_a_time: {
    wire: 'payment_pending',
    message:
      'An earlier payment of this wallet failed after its work was done, so it may have one open call at a time; wait for that one, then send this again.',
  },
  fee_too_high: {
    wire: 'transaction_failed',
    message:
      "The network's fee for this payment is more than we pay for a call of this price; nothing was taken. Try later, pay from a prepaid balance, or with a wallet whose transfers take less gas.",
  },
  wasteful: {
    wire: 'transaction_failed',
    message:
      'Payments of this wallet failed on the network at our expense several times today; nothing was taken. Pay from a prepaid balance, with another wallet, or tomorrow.',
  },
  refused: {
    wire: 'transaction_failed',
    message: 'The payment cannot be carried out on the network; nothing was taken. Sign a new one.',
  },
} as const satisfies Readonly<Record<string, FaultText>>;

export type PaymentFault = keyof typeof FAULTS;
