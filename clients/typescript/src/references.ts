import type { Reference, Schemas } from './answers.ts';
import type { Api } from './api.ts';
import { type Source, toMedia } from './medium.ts';
import { type CallOptions, checkCall, patienceOf } from './options.ts';

const PATH = '/v1/agent/references';

/** Images and clips that later calls can use. */
export class References {
  /** @internal */
  constructor(private readonly api: Api) {}

  /**
   * Stores an image or a clip. Later calls use it by its id or by its label.
   *
   * @example
   * const fox = await lamppost.image('A red fox');
   * const { id } = await lamppost.references.store(await fox.blob(), { label: 'a red fox' });
   * await lamppost.image('The fox in the rain', { modelId: 'ember-edit', referenceIds: [id] });
   */
  readonly store = async (
    source: Source,
    options: CallOptions & { readonly label?: string | undefined } = {},
  ): Promise<Reference> => {
    checkCall(options, 'references.store()', 'label');
    const { label } = options;
    const body = { media: await toMedia(source, (url) => this.api.file(url)), label };
    return (await this.api.change<Schemas['StoredReferenceAnswer']>('POST', PATH, body, patienceOf(options)))
      .asset;
  };

  /**
   * The stored references.
   *
   * @example
   * for (const { id, label } of await lamppost.references.list()) console.log(id, label);
   */
  readonly list = async (options: CallOptions = {}): Promise<readonly Reference[]> =>
    (await this.api.get<Schemas['ReferencesAnswer']>(PATH, options)).refs;

  /**
   * Searches the references. The most similar ones come first.
   *
   * @example
   * const [closest] = await lamppost.references.search('a red animal', { limit: 1 });
   */
  readonly search = async (
    q: string,
    options: CallOptions & { readonly limit?: number | undefined } = {},
  ): Promise<Schemas['MatchedReferencesAnswer']['refs']> => {
    checkCall(options, 'references.search()', 'limit');
    const query = { q, limit: options.limit };
    const found = { query, ...patienceOf(options) };
    return (await this.api.get<Schemas['MatchedReferencesAnswer']>(`${PATH}/search`, found)).refs;
  };

  /**
   * Deletes a reference with its bytes.
   *
   * @example
   * const { id } = await lamppost.references.store(await (await lamppost.image('A lamp')).blob());
   * await lamppost.references.delete(id);
   */
  readonly delete = async (id: string, options: CallOptions = {}): Promise<void> => {
    await this.api.change('DELETE', `${PATH}/${encodeURIComponent(id)}`, undefined, options);
  };
}
