import type { Address, Hash, Hex } from 'viem';
import type { LocalClient } from './local-client';
import type { Mining } from './mining';

interface Sending {
  /** Absent for a deployment. */
  readonly to?: Address;
  readonly data: Hex;
}

/** The account that only the helpers use, so that tests may count the transactions of every other account. */
export class Operator {
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: LocalClient,
    private readonly account: Address,
    private readonly mining: Mining,
  ) {}

  /**
   * Resolves when the block exists. Transactions are sent one at a time, because two at once could get the same nonce.
   */
  send(sending: Sending): Promise<Hash> {
    const sent = this.last.then(() => this.sendNow(sending));
    this.last = sent.catch(() => undefined);
    return sent;
  }

  private async sendNow(sending: Sending): Promise<Hash> {
    const hash = await this.client.sendTransaction({ ...sending, account: this.account });
    await this.mining.hasten();
    const receipt = await this.client.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') {
      throw new Error(`The test chain reverted ${hash}.`);
    }
    return hash;
  }
}
