import { encodeEventTopics, parseAbi } from 'viem';

import type { SignedPayment } from '../proof/signed-payment';

const eventsAbi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
]);

/** As much of a transaction's log as is read here. */
export interface TransactionLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: number | null;
}

const isTold = ({ topics }: TransactionLog, expected: readonly unknown[]): boolean =>
  topics.length === expected.length &&
  topics.every((topic, n) => topic.toLowerCase() === String(expected[n]).toLowerCase());

/**
 * The place, among all logs of its transaction, of the transfer that the execution of this very authorization made;
 * undefined when it made none of exactly this amount to the payee. The token logs the use of an authorization and then
 * the transfer, and nothing can come between the two. Any other transfer of the same transaction belongs to something
 * else, however well it fits: a payer may have put one real payment among many empty ones.
 */
export const ownTransferIn = (
  logs: readonly TransactionLog[],
  { asset, payer, payTo, amount, nonce }: SignedPayment,
): number | undefined => {
  const used = encodeEventTopics({
    abi: eventsAbi,
    eventName: 'AuthorizationUsed',
    args: { authorizer: payer, nonce },
  });
  const moved = encodeEventTopics({
    abi: eventsAbi,
    eventName: 'Transfer',
    args: { from: payer, to: payTo },
  });
  const all = [...logs].sort((one, other) => (one.logIndex ?? 0) - (other.logIndex ?? 0));
  const ofToken = all.filter(({ address }) => address.toLowerCase() === asset);
  const next = ofToken[ofToken.findIndex((log) => isTold(log, used)) + 1];
  const isOwn =
    ofToken.some((log) => isTold(log, used)) &&
    next !== undefined &&
    isTold(next, moved) &&
    /^0x[0-9a-f]{64}$/i.test(next.data) &&
    BigInt(next.data) === amount;
  return isOwn ? all.indexOf(next) : undefined;
};
