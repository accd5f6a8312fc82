import { encodeEventTopics, parseAbi } from 'viem';

import { type Micro, micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import type { Hex, SignedPayment } from '../proof/signed-payment';

const eventsAbi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
]);
const [MOVED] = encodeEventTopics({ abi: eventsAbi, eventName: 'Transfer' });
const [USED] = encodeEventTopics({ abi: eventsAbi, eventName: 'AuthorizationUsed' });

/** The fields of a transaction's log that this file reads. */
export interface TransactionLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: number | null;
}

/** A movement of the token in a transaction. */
export interface TokenTransfer {
  readonly payer: WalletAddress;
  readonly payTo: WalletAddress;
  readonly amount: Micro;
  /** The transfer's index among all logs of its transaction. */
  readonly logIndex: number;
  /** The nonce of the authorization that made the transfer; absent if the payer sent the transfer in another way. */
  readonly nonce?: Hex;
}

const isCalled = ({ topics }: TransactionLog, event: string | undefined): boolean =>
  topics.length > 1 && topics[0]?.toLowerCase() === event;

const addressOf = (topic: string | undefined): WalletAddress =>
  `0x${topic?.slice(-40).toLowerCase()}` as WalletAddress;

/**
 * The transfers of the token in order, each with its authorization. The token logs the use of an authorization directly
 * before the transfer.
 */
export const tokenTransfersIn = (
  logs: readonly TransactionLog[],
  asset: WalletAddress,
): readonly TokenTransfer[] => {
  const all = [...logs].sort((one, other) => (one.logIndex ?? 0) - (other.logIndex ?? 0));
  const ofToken = all.filter(({ address }) => address.toLowerCase() === asset);
  return ofToken.flatMap((log, index) => {
    if (!isCalled(log, MOVED) || log.topics.length !== 3 || !/^0x[0-9a-f]{64}$/i.test(log.data)) return [];
    const payer = addressOf(log.topics[1]);
    const before = ofToken[index - 1];
    const isAuthorized =
      before !== undefined && isCalled(before, USED) && addressOf(before.topics[1]) === payer;
    return {
      payer,
      payTo: addressOf(log.topics[2]),
      amount: micro(BigInt(log.data)),
      logIndex: all.indexOf(log),
      ...(isAuthorized && { nonce: before.topics[2]?.toLowerCase() as Hex }),
    };
  });
};

/**
 * The log index of the transfer that this authorization made. Undefined if the authorization did not transfer exactly
 * this amount to the payee. Other transfers of the transaction do not count, even with the same amount: a payer may put
 * one real payment among many empty ones.
 */
export const ownTransferIn = (
  logs: readonly TransactionLog[],
  { asset, payer, payTo, amount, nonce }: SignedPayment,
): number | undefined =>
  tokenTransfersIn(logs, asset).find(
    (moved) =>
      moved.nonce === nonce && moved.payer === payer && moved.payTo === payTo && moved.amount === amount,
  )?.logIndex;
