import type { Schemas } from './answers.ts';
import type { Api } from './api.ts';
import type { Budget } from './budget.ts';
import type { CallOptions, NewDelegatedKey } from './options.ts';
import { eachPage } from './pages.ts';
import { costNothing } from './payer.ts';
import type { Headers } from './sender.ts';

const PATH = '/v1/agent/keys';

/** Delegated keys for others: they spend a part of this payer's money, for a time. */
export class DelegatedKeys {
  /** @internal */
  constructor(
    private readonly api: Api,
    private readonly budget: Budget,
    /**
     * Makes the sign-in of a wallet for one address, because the route accepts no general sign-in. Keys and sessions
     * need no such proof.
     */
    private readonly proofFor: ((path: string) => Promise<Headers>) | undefined,
  ) {}

  /**
   * Creates a delegated key. Only this answer contains its `key`. Its whole limit counts against the budget, as if it
   * were spent.
   *
   * @example
   * const { key } = await lamppost.delegated.create({ limitMicro: 100_000, expiresInSeconds: 3_600 });
   * const helper = new Lamppost({ baseUrl, key });
   */
  readonly create = async (
    body: NewDelegatedKey,
    options: CallOptions = {},
  ): Promise<Schemas['NewDelegatedKeyAnswer']> => {
    const reservation = await this.budget.reserve({ id: crypto.randomUUID(), micro: body.limitMicro });
    let isSent = false;
    try {
      const headers = await this.proofFor?.(PATH);
      isSent = true;
      const made = await this.api.change<Schemas['NewDelegatedKeyAnswer']>('POST', PATH, body, {
        ...options,
        headers,
      });
      await reservation.confirm(body.limitMicro);
      return made;
    } catch (error) {
      if (!isSent || costNothing(error)) await reservation.release();
      throw error;
    }
  };

  /**
   * The keys that this payer delegated, and those below them.
   *
   * @example
   * for (const { name, spentMicro } of await lamppost.delegated.list()) console.log(name, spentMicro);
   */
  readonly list = (options: CallOptions = {}): Promise<Schemas['DelegatedKeysAnswer']['keys']> =>
    eachPage((query) => this.api.get<Schemas['DelegatedKeysAnswer']>(PATH + query, options));

  /**
   * Ends a key and all keys below it, at once.
   *
   * @example
   * const { id } = await lamppost.delegated.create({ limitMicro: 100_000, expiresInSeconds: 3_600 });
   * await lamppost.delegated.delete(id);
   */
  readonly delete = async (id: string, options: CallOptions = {}): Promise<void> => {
    await this.api.change('DELETE', `${PATH}/${encodeURIComponent(id)}`, undefined, options);
  };
}
