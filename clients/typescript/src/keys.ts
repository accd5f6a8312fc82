import type { Key, Schemas } from './answers.ts';
import type { Api } from './api.ts';
import type { CallOptions } from './options.ts';
import { eachPage } from './pages.ts';

const PATH = '/v1/account/keys';

const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

/** The keys of an account. Only a client with a session can manage them. */
export class Keys {
  /** @internal */
  constructor(private readonly api: Api) {}

  /**
   * The keys of the account.
   *
   * @example
   * const account = new Lamppost({ baseUrl, session });
   * for (const { name, prefix } of await account.keys.list()) console.log(name, prefix);
   */
  readonly list = (options: CallOptions = {}): Promise<readonly Key[]> =>
    eachPage((query) => this.api.get<Schemas['KeysAnswer']>(PATH + query, options));

  /**
   * Creates a key. Only this answer contains its `key`.
   *
   * @example
   * const account = new Lamppost({ baseUrl, session });
   * const { key } = await account.keys.create({ name: 'a bot', expiresInDays: 30, spendLimitMicro: 5_000_000 });
   */
  readonly create = (
    body: Schemas['NewKeyBody'],
    options: CallOptions = {},
  ): Promise<Schemas['NewKeyAnswer']> => this.api.change('POST', PATH, body, options);

  /**
   * Changes a key's name, limit or expiry, or disables it.
   *
   * @example
   * const account = new Lamppost({ baseUrl, session });
   * const { id } = await account.keys.create({ name: 'a bot', expiresInDays: 30 });
   * await account.keys.update(id, { enabled: false });
   */
  readonly update = (id: string, body: Schemas['KeyChangeBody'], options: CallOptions = {}): Promise<Key> =>
    this.api.change('PATCH', pathOf(id), body, options);

  /**
   * Ends a key and all keys below it, at once.
   *
   * @example
   * const account = new Lamppost({ baseUrl, session });
   * const { id } = await account.keys.create({ name: 'a bot', expiresInDays: 30 });
   * await account.keys.delete(id);
   */
  readonly delete = async (id: string, options: CallOptions = {}): Promise<void> => {
    await this.api.change('DELETE', pathOf(id), undefined, options);
  };
}
