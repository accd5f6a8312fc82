import { checkCall } from './options.ts';
import type { Headers, Patience, Request, Sender } from './sender.ts';

type Method = 'POST' | 'PATCH' | 'DELETE';
const MORE = ['query', 'headers', 'has', 'waits', 'known', 'file'] as const;
type More = Pick<Request, (typeof MORE)[number]> & Patience;

/** The free routes of the service, with the client's credential. */
export class Api {
  constructor(
    private readonly sender: Sender,
    /** The credential's headers. */
    private readonly proof: () => Promise<Headers>,
  ) {}

  async get<Body>(path: string, more: More = {}): Promise<Body> {
    checkCall(more, path, ...MORE);
    const headers = { ...(await this.proof()), ...more.headers };
    return (await this.sender.json<Body>({ method: 'GET', path, ...more, headers })).body;
  }

  /** A file of this payer. */
  async content(path: string, more: More): Promise<Blob> {
    const headers = await this.proof();
    return (await this.sender.json<Blob>({ method: 'GET', path, isFile: true, ...more, headers })).body;
  }

  /** A file at any address. No credential is sent, so redirects are followed. */
  file(path: string): Promise<Blob> {
    return this.sender.blob({ method: 'GET', path, follows: true });
  }

  /** The raw response. */
  async open(path: string, more: Omit<More, 'headers'> & { readonly body?: object } = {}): Promise<Response> {
    const method = more.body === undefined ? 'GET' : 'POST';
    if (this.sender.urlOf({ path }).origin !== this.sender.baseUrl.origin)
      throw new TypeError(`${path} is at another address, where no credential of this client goes.`);
    return this.sender.open({ method, path, ...more, headers: await this.proof() });
  }

  /**
   * Changes something. With its idempotency key, the service executes the request only once, even if it is sent again.
   */
  async change<Body>(method: Method, path: string, body?: object, more: More = {}): Promise<Body> {
    checkCall(more, path, ...MORE);
    const proof = more.headers ?? (await this.proof());
    const headers = { 'Idempotency-Key': more.known?.idempotencyKey ?? crypto.randomUUID(), ...proof };
    return (await this.sender.json<Body>({ method, path, body, ...more, headers })).body;
  }
}
