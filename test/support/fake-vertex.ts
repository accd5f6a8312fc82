import { generateKeyPairSync } from 'node:crypto';

import { jwtVerify } from 'jose';

import { FakeGemini } from './fake-gemini';
import type { FakeReply, FakeRequest } from './fake-provider';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const EMAIL = 'lamppost@fake.iam.gserviceaccount.com';
const MODELS = /^\/v1\/projects\/fake-project\/locations\/global\/publishers\/google\/models\//;

/** Gemini at Vertex AI, with Google's token endpoint. */
export class FakeVertex extends FakeGemini {
  /** The number of requested tokens. */
  tokens = 0;

  static override start(): Promise<FakeVertex> {
    return new FakeVertex().start();
  }

  static accountAt(origin: string): string {
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
    return JSON.stringify({
      type: 'service_account',
      private_key_id: 'key-1',
      private_key: key,
      client_email: EMAIL,
      token_uri: `${origin}/token`,
    });
  }

  override get env(): Readonly<Record<string, string>> {
    return {
      VERTEX_BASE_URL: `${this.origin}/v1`,
      VERTEX_PROJECT: 'fake-project',
      VERTEX_SERVICE_ACCOUNT: FakeVertex.accountAt(this.origin),
    };
  }

  protected override operationOf(request: FakeRequest): string {
    return request.path === '/token' ? 'token' : 'chat';
  }

  protected override answer(request: FakeRequest): Promise<FakeReply> | FakeReply {
    return request.path === '/token' ? this.grant(request) : super.answer(request);
  }

  private async grant({ body, headers }: FakeRequest): Promise<FakeReply> {
    this.tokens += 1;
    const form = new URLSearchParams(body.toString());
    const { payload } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
      issuer: EMAIL,
      audience: `http://${headers.host}/token`,
      algorithms: ['RS256'],
    });
    return payload['scope'] === 'https://www.googleapis.com/auth/cloud-platform'
      ? { json: { access_token: this.key, expires_in: 3_599, token_type: 'Bearer' } }
      : { status: 400, json: { error: 'invalid_scope' } };
  }

  protected override isKnown({ path, headers }: FakeRequest): boolean {
    return MODELS.test(path) && headers['authorization'] === `Bearer ${this.key}`;
  }
}
