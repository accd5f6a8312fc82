import { FakeProvider, type FakeReply, type FakeRequest } from '../../support/fake-provider';

export class FakeAcme extends FakeProvider {
  readonly key = 'acme-key-0123456789';
  readonly works: { readonly id: string; readonly clientId: string; state: string }[] = [];
  /** The first status of all work, and its final one. */
  beginning = 'queued';
  ending = 'done';
  /** The newest request. */
  asked: Readonly<Record<string, unknown>> = {};

  static start(): Promise<FakeAcme> {
    return new FakeAcme().start();
  }

  get env(): Readonly<Record<string, string>> {
    return { ACME_BASE_URL: `${this.origin}/v1`, ACME_API_KEY: this.key };
  }

  protected operationOf({ method }: FakeRequest): string {
    return method === 'POST' ? 'submit' : 'status';
  }

  protected errorBody(status: number): unknown {
    return { error: { code: `E${status}` } };
  }

  protected answer({ method, path, query, headers, body }: FakeRequest): FakeReply {
    if (headers.authorization !== `Bearer ${this.key}`) return { status: 401, json: this.errorBody(401) };
    if (method === 'POST') {
      this.asked = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
      const id = `w${this.works.length + 1}`;
      this.works.push({ id, clientId: String(this.asked['client_id']), state: this.beginning });
      return { json: { id } };
    }
    const id = path.split('/').at(-1);
    const work = this.works.find((each) => each.id === id || each.clientId === query.get('client_id'));
    if (work === undefined) return { json: null };
    const answer = { ...work, url: `${this.origin}/files/${work.id}.png`, cost_usd: '0.010000' };
    work.state = this.ending;
    return { json: answer };
  }
}
