/**
 * The fault of a payment by channel, in our words. `reason` is the code of the published scheme, if the scheme has one.
 */
export const CHANNEL_FAULTS = {
  malformed: {
    reason: 'invalid_payload',
    message:
      'The payment header is no base64 JSON payment of the scheme batch-settlement; build it from the requirements of this answer.',
  },
  not_offered: {
    reason: 'unsupported_scheme',
    message: 'Payment channels are not offered here at the moment; pay this call by the scheme exact.',
  },
  wrong_network: {
    reason: 'invalid_network',
    message: 'The channel is on another network; open one for the network of this requirement.',
  },
  wrong_asset: {
    reason: 'invalid_batch_settlement_evm_token_mismatch',
    message: 'The channel holds another token; open one for the asset of this requirement.',
  },
  wrong_recipient: {
    reason: 'invalid_batch_settlement_evm_receiver_mismatch',
    message: 'The channel pays another wallet; open one for the payTo of this requirement.',
  },
  wrong_authorizer: {
    reason: 'invalid_batch_settlement_evm_receiver_authorizer_mismatch',
    message: 'The channel names another receiverAuthorizer; open one for the requirement of this answer.',
  },
  wrong_delay: {
    reason: 'invalid_batch_settlement_evm_withdraw_delay_mismatch',
    message: 'The channel has another withdrawDelay; open one for the requirement of this answer.',
  },
  wrong_channel_id: {
    reason: 'invalid_batch_settlement_evm_channel_id_mismatch',
    message: 'The channelId is not the hash of the channelConfig; send both of the same channel.',
  },
  wrong_amount: {
    reason: 'invalid_payment_requirements',
    message:
      'The accepted amount is not the price of this call; accept exactly the requirement of this answer.',
  },
  bad_quote: {
    reason: 'invalid_payment_requirements',
    message: 'The quote in accepted.extra was made for another call; accept the requirement of this answer.',
  },
  payer_mismatch: {
    reason: 'payer_mismatch',
    message:
      'The field payer names another wallet than the payer of the channel; leave payer out, or name that one.',
  },
  invalid_signature: {
    reason: 'invalid_batch_settlement_evm_voucher_signature',
    message: "The voucher is not signed by the channel's payerAuthorizer.",
  },
  unproven_delegate: {
    reason: 'invalid_batch_settlement_evm_voucher_signature',
    message:
      'Another wallet than the payer signs for this channel, and the payer has signed no deposit of it here; send a deposit first.',
  },
  stale: {
    reason: 'invalid_batch_settlement_evm_cumulative_amount_mismatch',
    message:
      'The voucher does not continue the total of the channel. extra.channelState of this answer has the true total: sign that and the price of the call.',
  },
  short: {
    reason: 'invalid_batch_settlement_evm_cumulative_exceeds_balance',
    message: 'The channel holds less than this voucher allows; send a deposit with the next voucher.',
  },
  not_found: {
    reason: 'invalid_batch_settlement_evm_channel_not_found',
    message: 'The channel holds nothing on the chain; send a deposit with the first voucher.',
  },
  withdrawing: {
    reason: 'invalid_batch_settlement_evm_channel_busy',
    message:
      'The payer withdraws from this channel, so it takes no new calls; pay by a channel of another salt.',
  },
  claim_refused: {
    reason: 'invalid_batch_settlement_evm_channel_busy',
    message:
      "The channel's contract refused our claim of what it owes, so it takes no new calls; pay this call by the scheme exact.",
  },
  contracts_owe: {
    reason: 'invalid_batch_settlement_evm_channel_busy',
    message:
      'Contract wallets owe as much as they may until the next claim; try again in a minute, or pay this call by the scheme exact.',
  },
  deposit_too_small: {
    reason: 'invalid_batch_settlement_evm_deposit_below_min_deposit',
    message: 'The deposit is too small for the cost of its transaction; deposit at least extra.minDeposit.',
  },
  deposit_failed: {
    reason: 'invalid_batch_settlement_evm_deposit_transaction_failed',
    message:
      'The network refused the deposit, so nothing was taken; sign a new one with a wallet that holds enough.',
  },
  wasteful: {
    reason: 'transaction_failed',
    message:
      'Payments of this wallet failed on the network at our expense several times today; pay from a prepaid balance, or tomorrow.',
  },
  refund_elsewhere: {
    reason: 'invalid_batch_settlement_evm_refund_payload',
    message: 'A refund is no payment of a call; send it to GET /v1/agent/x402/channels.',
  },
  nothing_to_refund: {
    reason: 'invalid_batch_settlement_evm_refund_no_balance',
    message: 'The channel holds nothing that could be refunded.',
  },
} as const;

export type ChannelFault = keyof typeof CHANNEL_FAULTS;

/** The refusal of a payment by channel. `ChannelRail` and `ChannelRefunds` build its HTTP answer. */
export class ChannelRefused extends Error {
  constructor(
    readonly fault: ChannelFault,
    /** The true state of the channel, for the new offer in the answer. */
    readonly corrected?: Readonly<Record<string, unknown>>,
  ) {
    super(fault);
  }
}
