import { type Hash, parseAbiItem } from 'viem';

import { BLOCKS_AT_ONCE, type Chain } from '../facilitators/chain';
import { type TokenTransfer, tokenTransfersIn } from '../facilitators/own-transfer';
import { firstBlockSince } from './first-block';
import type { X402Settings } from '../x402.settings';

const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');
/** The number of receipts that the search requests from a node at once. */
const RECEIPTS_AT_ONCE = 8;

/** A transfer to us in a final block. */
export interface FoundTransfer extends TokenTransfer {
  readonly transaction: Hash;
  readonly block: bigint;
}

interface BlockTime {
  readonly block: bigint;
  /** Unix seconds. */
  readonly time: bigint;
}

export interface Search {
  /** The end of the searched part of the chain. Newer blocks are not final. */
  readonly until: BlockTime;
  readonly transfers: readonly FoundTransfer[];
}

/** Visits the final blocks since a given time, in ranges that nodes accept. Returns the last block. */
export const searchBlocks = async (
  chain: Chain,
  since: bigint,
  blocksAtOnce: bigint,
  visit: (from: bigint, to: bigint, newest: bigint) => Promise<void>,
): Promise<BlockTime> => {
  const { client } = chain;
  const { number: newest, timestamp: time } = await chain.block('finalized');
  const until = { block: newest, time };
  const timeOf = async (blockNumber: bigint) => (await client.getBlock({ blockNumber })).timestamp;
  const first = await firstBlockSince(since, newest, timeOf);
  if (first === undefined) return until;
  for (let from = first; from <= newest; from += blocksAtOnce) {
    const last = from + blocksAtOnce - 1n;
    await visit(from, last < newest ? last : newest, newest);
  }
  return until;
};

export class TransferSearch {
  constructor(
    private readonly chain: Chain,
    private readonly x402: Pick<X402Settings['x402'], 'asset' | 'payTo'>,
    private readonly blocksAtOnce = BLOCKS_AT_ONCE,
  ) {}

  /** Calls `onStep` with the progress. */
  since(since: bigint, onStep: (block: bigint, newest: bigint) => void): Promise<Search> {
    return this.chain.request(async () => {
      const transfers: FoundTransfer[] = [];
      const until = await searchBlocks(this.chain, since, this.blocksAtOnce, async (from, to, newest) => {
        transfers.push(...(await this.between(from, to)));
        onStep(to, newest);
      });
      return { until, transfers };
    });
  }

  /** The time of a block, in Unix seconds. */
  timeOf(block: bigint): Promise<bigint> {
    return this.chain.request(
      async () => (await this.chain.client.getBlock({ blockNumber: block })).timestamp,
    );
  }

  private async between(fromBlock: bigint, toBlock: bigint): Promise<FoundTransfer[]> {
    const { asset, payTo } = this.x402;
    const logs = await this.chain.client.getLogs({
      address: asset,
      event: TRANSFER,
      args: { to: payTo },
      fromBlock,
      toBlock,
    });
    const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))];
    const found: FoundTransfer[] = [];
    for (let index = 0; index < hashes.length; index += RECEIPTS_AT_ONCE) {
      const some = hashes.slice(index, index + RECEIPTS_AT_ONCE);
      found.push(...(await Promise.all(some.map((hash) => this.within(hash)))).flat());
    }
    return found;
  }

  /** The transfers to us in one transaction. Transfers of 0 are skipped, because anybody can make them in any name. */
  private async within(transaction: Hash): Promise<FoundTransfer[]> {
    const { logs, blockNumber: block } = await this.chain.client.getTransactionReceipt({ hash: transaction });
    const { asset, payTo } = this.x402;
    return tokenTransfersIn(logs, asset)
      .filter((moved) => moved.payTo === payTo && moved.amount > 0n)
      .map((moved) => ({ ...moved, transaction, block }));
  }
}
