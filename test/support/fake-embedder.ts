import sharp from 'sharp';

import { FakeProvider, type FakeReply, type FakeRequest, VENDOR_WORDS } from './fake-provider';

interface EmbeddingsBody {
  readonly model?: string;
  readonly input: readonly { readonly text?: string; readonly image?: string }[];
}

/** A multimodal embeddings API that knows three colours: texts by their words, images by their pixels. */
export class FakeEmbedder extends FakeProvider {
  readonly key = 'emb-fake-key-0123456789';
  readonly bodies: EmbeddingsBody[] = [];

  static start(): Promise<FakeEmbedder> {
    return new FakeEmbedder().start();
  }

  get env(): Readonly<Record<string, string>> {
    return { EMBEDDER: 'http', EMBEDDER_URL: `${this.origin}/v1/embeddings`, EMBEDDER_KEY: this.key };
  }

  protected operationOf({ path }: FakeRequest): string {
    return path === '/v1/embeddings' ? 'embed' : 'none';
  }

  protected errorBody(status: number): unknown {
    return { detail: `${VENDOR_WORDS} embeddings ${status}` };
  }

  protected async answer(request: FakeRequest): Promise<FakeReply> {
    if (request.headers.authorization !== `Bearer ${this.key}` || this.operationOf(request) === 'none') {
      return { status: 401, json: this.errorBody(401) };
    }
    const body = JSON.parse(request.body.toString()) as EmbeddingsBody;
    this.bodies.push(body);
    const data = await Promise.all(
      body.input.map(async ({ text, image }, index) => ({
        object: 'embedding',
        index,
        embedding: image === undefined ? ofText(text ?? '') : await ofImage(Buffer.from(image, 'base64')),
      })),
    );
    // The order does not matter, because each vector has its index.
    return { json: { object: 'list', model: body.model ?? 'default', data: data.reverse() } };
  }
}

const ofText = (text: string): readonly number[] =>
  ['red', 'green', 'blue'].map((colour) => (text.includes(colour) ? 5 : 0.1));

const ofImage = async (bytes: Buffer): Promise<readonly number[]> => [
  ...(await sharp(bytes).resize(1, 1).removeAlpha().raw().toBuffer()),
];
