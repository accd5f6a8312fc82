import type { Address, Hash, Hex } from 'viem';
import type { LocalClient } from './local-client';
import type { Mining } from './mining';

interface Sending {
  /** The called contract; absent for a deployment. */
  readonly to?: Address;
  readonly data: Hex;
}

/** The account of the helpers. No test uses it, so tests can count the transactions of all other accounts. */
export class Operator {
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: LocalClient,
    private readonly account: Address,
    private readonly mining: Mining,
  ) {}

  /**
   * Sends a transaction, and resolves when its block exists. It sends one at a time, because two concurrent
   * transactions could get the same nonce.
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
