import type { Receipt } from './answers.ts';
import type { Api } from './api.ts';
import type { CallOptions } from './options.ts';
import { type PublicKey, isGenuine } from './proof.ts';

/** The state of a call's money, signed by the service. */
export class Receipts {
  /** @internal */
  constructor(private readonly api: Api) {}

  /**
   * The receipt of a charge. The service signs it once the charge is settled.
   *
   * @example
   * const { charge } = await lamppost.chat('Hello.');
   * const { state, priceMicro } = await lamppost.receipts.get(charge.id);
   */
  readonly get = (id: string, options: CallOptions = {}): Promise<Receipt> =>
    this.api.get(`/v1/agent/charges/${encodeURIComponent(id)}`, options);

  /**
   * Whether the service has really signed the receipt.
   *
   * @example
   * const { charge } = await lamppost.chat('Hello.');
   * const receipt = await lamppost.receipts.get(charge.id);
   * if (!(await lamppost.receipts.verify(receipt))) throw new Error('Somebody has changed it.');
   */
  readonly verify = async (receipt: Receipt, options: CallOptions = {}): Promise<boolean> => {
    const { keys } = await this.api.get<{ keys: readonly PublicKey[] }>('/.well-known/jwks.json', options);
    return isGenuine(receipt, keys);
  };
}
