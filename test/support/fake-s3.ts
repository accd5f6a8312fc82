import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface StoredObject {
  readonly body: Buffer;
  readonly type: string;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

const SIGNATURE =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=[0-9a-f]{64}$/;

const SIGNED_ALWAYS = ['host', 'x-amz-content-sha256', 'x-amz-date'];

const problem = (response: ServerResponse, status: number, code: string, withBody = true): void => {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(
    withBody ? `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>` : '',
  );
};

/** The part of S3 that the blob store speaks, in memory, on loopback. It can fail or hang. */
export class FakeS3 {
  readonly bucket = 'media';
  /** The accepted key. After a change, requests with the previous key are refused. */
  accessKeyId = 'AKIAFAKE';
  readonly secretAccessKey = 'fake-secret';
  readonly region = 'us-east-1';
  readonly seen: SeenRequest[] = [];
  readonly objects = new Map<string, StoredObject>();
  /** Older compatible stores refuse a conditional upload. */
  knowsConditions = true;
  /** Requests of this method get no answer. */
  hangsOn: string | undefined;
  private readonly faults: (number | 'hang' | 'cut')[] = [];
  private readonly server: Server = createServer((request, response) => {
    this.answer(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<FakeS3> {
    const fake = new FakeS3();
    fake.server.listen(0, '127.0.0.1');
    await once(fake.server, 'listening');
    return fake;
  }

  /**
   * The host is a name, because with an address a client would never put the bucket in front of it. We want the bucket
   * in the path.
   */
  get endpoint(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  /**
   * The next requests fail in this order: with a status, without any answer, or with an answer that is cut in the
   * middle.
   */
  failNext(...faults: (number | 'hang' | 'cut')[]): void {
    this.faults.push(...faults);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request;
    const path = new URL(request.url ?? '/', 'http://s3').pathname;
    this.seen.push({ method, path, headers });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const fault = this.faults.shift();
    if (fault === 'hang' || method === this.hangsOn) {
      return;
    }
    if (typeof fault === 'number') {
      return problem(response, fault, fault === 404 ? 'NoSuchBucket' : 'InternalError', method !== 'HEAD');
    }
    if (!this.isSigned(request)) {
      return problem(response, 403, 'SignatureDoesNotMatch', method !== 'HEAD');
    }
    const [, bucket = '', key = ''] = /^\/([^/]+)\/?(.*)$/.exec(path) ?? [];
    if (bucket !== this.bucket) {
      return problem(response, 404, 'NoSuchBucket', method !== 'HEAD');
    }
    switch (method) {
      case 'PUT':
        if (headers['if-none-match'] !== undefined && !this.knowsConditions)
          return problem(response, 501, 'NotImplemented');
        if (headers['if-none-match'] === '*' && this.objects.has(key))
          return problem(response, 412, 'PreconditionFailed');
        this.objects.set(key, { body: Buffer.concat(chunks), type: headers['content-type'] ?? '' });
        response.writeHead(200, { etag: '"fake"' }).end();
        return;
      case 'DELETE':
        this.objects.delete(key);
        response.writeHead(204).end();
        return;
      case 'HEAD':
      case 'GET':
        if (key === '') {
          response.writeHead(200).end();
          return;
        }
        return this.read(key, request, response, fault === 'cut');
      default:
        return problem(response, 405, 'MethodNotAllowed');
    }
  }

  private read(key: string, request: IncomingMessage, response: ServerResponse, cut: boolean): void {
    const isHead = request.method === 'HEAD';
    const object = this.objects.get(key);
    if (object === undefined) {
      return problem(response, 404, 'NoSuchKey', !isHead);
    }
    const total = object.body.length;
    const asked = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    const start = Number(asked?.[1] ?? 0);
    const end = Math.min(asked?.[2] ? Number(asked[2]) : total - 1, total - 1);
    if (asked !== null && start > end) {
      return problem(response, 416, 'InvalidRange', !isHead);
    }
    const body = object.body.subarray(start, end + 1);
    response.writeHead(asked === null ? 200 : 206, {
      'content-type': object.type,
      'content-length': body.length,
      'accept-ranges': 'bytes',
      ...(asked === null ? {} : { 'content-range': `bytes ${start}-${end}/${total}` }),
    });
    if (cut) {
      response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
      return;
    }
    response.end(isHead ? undefined : body);
  }

  /**
   * Checks the form of a version 4 signature, and the headers that it must cover. The SDK is trusted for the digest.
   */
  private isSigned({ headers }: IncomingMessage): boolean {
    const [, id, region, names = ''] = SIGNATURE.exec(headers.authorization ?? '') ?? [];
    const covered = names.split(';');
    return (
      id === this.accessKeyId &&
      region === this.region &&
      /^\d{8}T\d{6}Z$/.test(String(headers['x-amz-date'])) &&
      SIGNED_ALWAYS.every((name) => covered.includes(name) && headers[name] !== undefined)
    );
  }
}
