import { createHash } from 'node:crypto';

import type { Guest } from '#kernel/slots';
import { decodeImage } from '#platform/media/image-decoding';
import { type EmbeddedMedia, Embedder, normalised } from '../embedder';
import { fieldsOf, itemsOf } from '../http/json-fields';
import { ProviderHttp } from '../http/provider-http';
import { authorizationOf } from '../openai/openai-server';
import type { EmbedderSettings } from './embedder.settings';
import { EmbedderUnavailable } from '../providers.errors';

const TEXT_MS_MAX = 5_000;
const MEDIA_MS_MAX = 30_000;
const EDGE_MAX = 1_024;
const DIMENSIONS_MAX = 16_384;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

type Input = { readonly text: string } | { readonly image: string };

/**
 * Uses a multimodal embeddings API in its most common shape: the request `{model, input: [{text}, {image}]}` returns
 * `{data: [{index, embedding}]}`. An image with a label gets a vector between those of both. A video gets the vector of
 * its label.
 */
export class HttpEmbedder extends Embedder {
  readonly space: string;
  readonly remote = true;
  readonly floor = 0.2;
  healthy = true;
  private readonly http: ProviderHttp;
  private readonly path: string;
  private readonly model: string | undefined;

  constructor(settings: EmbedderSettings['embedder']) {
    super();
    const { url = '', model } = settings;
    const baseUrl = new URL('.', url).href;
    this.path = url.slice(baseUrl.length);
    this.model = model;
    const name = createHash('sha256')
      .update(`${url} ${model ?? ''}`)
      .digest('hex');
    this.space = `http-${name.slice(0, 16)}`;
    this.http = new ProviderHttp({
      name: 'embedder',
      baseUrl,
      headers: () => authorizationOf(settings),
    });
  }

  async embedText(text: string): Promise<Float32Array> {
    const [vector] = await this.embed([{ text }], TEXT_MS_MAX);
    if (vector === undefined) throw new EmbedderUnavailable();
    return vector;
  }

  async embedMedia({ kind, owner, label, read }: EmbeddedMedia): Promise<Float32Array | undefined> {
    const inputs: Input[] = [
      ...(kind === 'image' ? [{ image: (await small(await read(), owner)).toString('base64') }] : []),
      ...(label === undefined ? [] : [{ text: label }]),
    ];
    if (inputs.length === 0) return undefined;
    const [first = new Float32Array(), second] = await this.embed(inputs, MEDIA_MS_MAX);
    return second === undefined ? first : normalised(first.map((value, at) => value + (second[at] ?? 0)));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }

  private async embed(inputs: readonly Input[], msMax: number): Promise<readonly Float32Array[]> {
    try {
      const answer = await this.http.json({
        method: 'POST',
        path: this.path,
        json: { model: this.model, input: inputs },
        signal: AbortSignal.timeout(msMax),
        bytesMax: ANSWER_BYTES_MAX,
      });
      const vectors = vectorsIn(answer, inputs.length);
      this.healthy = true;
      return vectors;
    } catch (error) {
      this.healthy = false;
      throw new EmbedderUnavailable(error);
    }
  }
}

/** Shrinks an image to the largest size that embedding models use, as JPEG, which all of them read. */
const small = async (bytes: Buffer, owner: string | Guest): Promise<Buffer> => {
  const { data } = await decodeImage(bytes, owner, [
    ['resize', EDGE_MAX, EDGE_MAX, { fit: 'inside', withoutEnlargement: true }],
    ['flatten', { background: 'white' }],
    ['jpeg', { quality: 90 }],
  ]);
  return data;
};

/** The vectors in the order of the inputs, whatever the order of the answer. */
const vectorsIn = (answer: unknown, count: number): readonly Float32Array[] => {
  const rows = itemsOf(fieldsOf(answer)['data']).map((item, at) => {
    const { index = at, embedding } = fieldsOf(item);
    return { index: Number(index), vector: vectorOf(embedding) };
  });
  const vectors = rows.sort((a, b) => a.index - b.index).map(({ vector }) => vector);
  if (vectors.length !== count || vectors.some(({ length }) => length !== vectors[0]?.length))
    throw new Error('The embedder answered with another number of vectors, or vectors of several lengths.');
  return vectors;
};

const vectorOf = (embedding: unknown): Float32Array => {
  const values = itemsOf(embedding);
  const isVector = values.length > 0 && values.length <= DIMENSIONS_MAX;
  const vector =
    isVector && values.every((value) => typeof value === 'number')
      ? normalised(Float32Array.from(values as readonly number[]))
      : undefined;
  if (vector === undefined) throw new Error('The embedder answered with something that is no vector.');
  return vector;
};
