import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { SsrfGuard, type SsrfGuardedCall } from '#platform/http/outgoing/ssrf-guard';
import type { FetchTarget } from '#platform/http/outgoing/address-check';
import { SafeFetch } from '#platform/http/outgoing/safe-fetch';
import { Dialer, HostResolver } from '#platform/http/outgoing/safe-fetch-network';
import { InvalidRequest } from '#kernel/app-error';
import { MediaTooLarge, MediaUnreachable } from '#platform/http/outgoing/safe-fetch.errors';

const PUBLIC = '93.184.216.34';
const LIMITS = { maxBytes: 1_000_000, timeoutMs: 5_000, param: 'image' };

/** Returns its answers one after the other. The last one repeats. */
class FakeDns extends HostResolver {
  readonly asked: string[] = [];
  private readonly answers = new Map<string, string[][]>();

  answer(host: string, ...answers: string[][]): void {
    this.answers.set(host, answers);
  }

  addressesOf(host: string): Promise<readonly string[]> {
    this.asked.push(host);
    const answers = this.answers.get(host) ?? [[]];
    return Promise.resolve((answers.length > 1 ? answers.shift() : answers[0]) ?? []);
  }
}

/** Records the addresses of connections, and connects to the test's own server instead. */
class FakeDialer extends Dialer {
  readonly dialled: string[][] = [];

  constructor(private readonly port: () => number) {
    super();
  }

  dialOf(addresses: readonly string[]) {
    return {
      createConnection: () => {
        this.dialled.push([...addresses]);
        return connect(this.port(), '127.0.0.1');
      },
    };
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

class Origin {
  readonly seen: { url: string; headers: IncomingMessage['headers'] }[] = [];
  connections = 0;
  open = 0;
  handler: Handler = (_request, response) => response.end('fox');
  private readonly server: Server = createServer((request, response) => {
    this.seen.push({ url: request.url ?? '', headers: request.headers });
    this.handler(request, response);
  }).on('connection', (socket) => {
    this.connections += 1;
    this.open += 1;
    socket
      .on('error', () => undefined)
      .once('close', () => {
        this.open -= 1;
        this.server.emit('gone');
      });
  });

  async listen(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Resolves when every connection has ended. */
  async idle(): Promise<void> {
    while (this.open > 0) await once(this.server, 'gone');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

let origin: Origin;
let dns: FakeDns;
let dialer: FakeDialer;

beforeEach(async () => {
  origin = await new Origin().listen();
  dns = new FakeDns();
  dialer = new FakeDialer(() => origin.port);
});

afterEach(() => origin.stop());

/** Fetches addresses of callers: no private address is allowed, and the dialer records each connection. */
const guarded = (): SafeFetch => new SafeFetch(new SsrfGuard({ fetchAllowHosts: [] }, dns, dialer));

/** The real dialer on loopback, which the operator has allowed. */
const local = (): SafeFetch =>
  new SafeFetch(new SsrfGuard({ fetchAllowHosts: [`127.0.0.1:${origin.port}`] }, dns));
const localUrl = (path = '/'): string => `http://127.0.0.1:${origin.port}${path}`;

const failureOf = async (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => Promise.reject(new Error('It was fetched.')),
    (error: unknown) => error as Error,
  );

const redirect =
  (to: string, status = 302): Handler =>
  (_request, response) =>
    void response.writeHead(status, { location: to }).end();

describe('fetching a file', () => {
  it('gives its bytes, its claimed type and where it was in the end', async () => {
    dns.answer('example.com', [PUBLIC, '2606:4700::1111']);
    origin.handler = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'Image/PNG; q=1' }).end('fox');

    const fetched = await guarded().open('https://example.com/a.png?b=c#d', LIMITS);

    expect(fetched).toMatchObject({
      status: 200,
      mime: 'image/png',
      finalUrl: 'https://example.com/a.png?b=c',
    });
    expect((await buffer(fetched.stream)).toString()).toBe('fox');
    expect(dialer.dialled).toEqual([[PUBLIC, '2606:4700::1111']]);
    await origin.idle();
  });

  it('leaves nothing in memory when its caller could have stopped it', async () => {
    const signals: WeakRef<AbortSignal>[] = [];
    class Watched extends SsrfGuard {
      override ask(target: FetchTarget, call: SsrfGuardedCall) {
        signals.push(new WeakRef(call.signal));
        return super.ask(target, call);
      }
    }
    dns.answer('example.com', [PUBLIC]);
    const fetcher = new SafeFetch(new Watched({ fetchAllowHosts: [] }, dns, dialer));
    for (let times = 0; times < 20; times += 1) {
      const { signal } = new AbortController();
      const { stream } = await fetcher.open('https://example.com/', { ...LIMITS, signal });
      await buffer(stream);
    }
    await origin.idle();

    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    for (let turns = 0; turns < 20; turns += 1) {
      collect();
      await turn();
    }

    // The last one may still be on the stack.
    expect(signals.filter((signal) => signal.deref() !== undefined).length).toBeLessThan(3);
  });

  it('sends no cookie, no credential, and asks for no compression', async () => {
    dns.answer('example.com', [PUBLIC]);
    origin.handler = (request, response) =>
      request.url === '/1'
        ? void response.writeHead(302, { location: '/2', 'set-cookie': 'a=b' }).end()
        : void response.end('fox');

    const { stream } = await guarded().open('https://example.com/1', LIMITS);
    await buffer(stream);

    expect(origin.seen.map(({ url }) => url)).toEqual(['/1', '/2']);
    for (const { headers } of origin.seen) {
      expect(headers).toMatchObject({ host: 'example.com', 'accept-encoding': 'identity' });
      expect(headers).not.toHaveProperty('cookie');
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('referer');
    }
  });

  it('does not let a forged type into the answer', async () => {
    origin.handler = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/html<script>' }).end();

    const { mime, stream } = await local().open(localUrl(), LIMITS);

    expect(mime).toBe('application/octet-stream');
    stream.destroy();
  });

  it.each([404, 403, 500, 304])('refuses an answer with status %i', async (status) => {
    origin.handler = (_request, response) => void response.writeHead(status).end();

    const error = await failureOf(local().open(localUrl(), LIMITS));

    expect(error).toMatchObject({
      code: 'MEDIA_UNREACHABLE',
      kind: 'invalid_request',
      extras: { param: 'image' },
      message: `image could not be fetched: its host answered with status ${status}.`,
    });
    await origin.idle();
  });
});

/** Whether an address is refused: it is private, or it is no address at all. */
const isRefusal = (failure: unknown): boolean =>
  failure instanceof MediaUnreachable || failure instanceof InvalidRequest;

describe('an address that leads inside', () => {
  const forms = (port: string): string[] => [
    `https://127.0.0.1${port}/`,
    `https://127.1${port}/`,
    `https://127.0.1${port}/`,
    `https://0${port}/`,
    `https://0.0.0.0${port}/`,
    `https://2130706433${port}/`,
    `https://017700000001${port}/`,
    `https://0177.0.0.1${port}/`,
    `https://0x7f000001${port}/`,
    `https://0x7f.0.0.1${port}/`,
    `https://0x7f.1${port}/`,
    `https://127.0.0.1.${port}/`,
    `https://127%2e0%2e0%2e1${port}/`,
    `https://１２７.０.０.１${port}/`,
    `https://①②⑦.⓪.⓪.①${port}/`,
    `https://127。0。0。1${port}/`,
    `https://[::1]${port}/`,
    `https://[::]${port}/`,
    `https://[0:0:0:0:0:0:0:1]${port}/`,
    `https://[::ffff:127.0.0.1]${port}/`,
    `https://[::ffff:7f00:1]${port}/`,
    `https://[::7f00:1]${port}/`,
    `https://[::127.0.0.1]${port}/`,
    `https://[64:ff9b::7f00:1]${port}/`,
    `https://[64:ff9b::127.0.0.1]${port}/`,
    `https://[2002:7f00:1::]${port}/`,
    `https://[2001:0:7f00:1::]${port}/`,
    `https://[fe80::1%25lo]${port}/`,
    `https://[fe80::1]${port}/`,
    `https://[fd00:ec2::254]${port}/`,
    `https://[ff02::1]${port}/`,
    `https://169.254.169.254${port}/latest/meta-data/`,
    `https://2852039166${port}/`,
    `https://100.100.100.200${port}/`,
    `https://10.0.0.1${port}/`,
    `https://192.168.0.1${port}/`,
    `https://224.0.0.1${port}/`,
    `https://example.com@127.0.0.1${port}/`,
    `https://127.0.0.1${port}\\@example.com/`,
    `https://localhost${port}/`,
    `https://LOCALHOST.${port}/`,
    `https://a.localhost${port}/`,
    `https://%6cocalhost${port}/`,
    `https://metadata.google.internal${port}/`,
    `https://redis${port}/`,
  ];

  it.each(forms(''))('%s is refused before anything is asked or dialled', async (url) => {
    expect(isRefusal(await failureOf(guarded().open(url, LIMITS)))).toBe(true);
    expect(dialer.dialled).toEqual([]);
    expect(dns.asked).toEqual([]);
  });

  it('is not connected to in any form, with any scheme', async () => {
    const port = `:${origin.port}`;
    const urls = forms(port).flatMap((url) => [url, url.replace('https:', 'http:')]);

    for (const url of urls) {
      const fetching = new SafeFetch(new SsrfGuard({ fetchAllowHosts: [] }, dns)).open(url, LIMITS);
      expect(isRefusal(await failureOf(fetching))).toBe(true);
    }

    expect(origin.connections).toBe(0);
  });

  it.each([
    ['127.0.0.1.nip.io', ['127.0.0.1']],
    ['metadata.example.com', ['169.254.169.254']],
    ['v6.example.com', ['::1']],
    ['mapped.example.com', ['::ffff:10.0.0.1']],
    ['mixed.example.com', [PUBLIC, '10.0.0.7']],
    ['nothing.example.com', []],
  ])('%s is refused after DNS has named %j', async (host, addresses) => {
    dns.answer(host, addresses);

    const error = await failureOf(guarded().open(`https://${host}/`, LIMITS));

    expect(error.message).toBe('image could not be fetched: its host has no public address.');
    expect(dialer.dialled).toEqual([]);
  });

  it('is refused as the target of a redirect', async () => {
    dns.answer('example.com', [PUBLIC]);
    dns.answer('inside.example.com', ['10.0.0.7']);
    for (const to of [
      'https://127.0.0.1/',
      'https://[::ffff:127.0.0.1]/',
      'https://inside.example.com/',
      '//169.254.169.254/',
      'http://example.com/',
      'https://example.com:8080/',
      'https://me@example.com/',
      'file:///etc/passwd',
      'data:image/png;base64,AAAA',
    ]) {
      origin.handler = redirect(to);
      expect(await failureOf(guarded().open('https://example.com/', LIMITS))).toBeInstanceOf(
        MediaUnreachable,
      );
    }

    expect(new Set(dialer.dialled.flat())).toEqual(new Set([PUBLIC]));
    await origin.idle();
  });
});

describe('a name whose addresses change', () => {
  it('is resolved once per connection, and the connection goes where was checked', async () => {
    dns.answer('rebind.example.com', [PUBLIC], ['127.0.0.1']);

    const { stream } = await guarded().open('https://rebind.example.com/', LIMITS);
    await buffer(stream);

    expect(dns.asked).toEqual(['rebind.example.com']);
    expect(dialer.dialled).toEqual([[PUBLIC]]);
  });

  it('is checked again when a redirect comes back to it', async () => {
    dns.answer('rebind.example.com', [PUBLIC], ['127.0.0.1']);
    origin.handler = redirect('https://rebind.example.com/again');

    expect(await failureOf(guarded().open('https://rebind.example.com/', LIMITS))).toBeInstanceOf(
      MediaUnreachable,
    );
    expect(dialer.dialled).toEqual([[PUBLIC]]);
  });

  it('is connected to at the address of the first answer by the real dialer', async () => {
    // The system can't resolve this name, so only the checked answer can lead to the server.
    dns.answer('cdn.internal', ['127.0.0.1'], [PUBLIC]);
    const fetch = new SafeFetch(new SsrfGuard({ fetchAllowHosts: ['cdn.internal'] }, dns));

    const { stream } = await fetch.open(`http://cdn.internal:${origin.port}/`, LIMITS);
    await buffer(stream);

    expect(origin.seen[0]?.headers.host).toBe(`cdn.internal:${origin.port}`);
    expect(origin.connections).toBe(1);
    expect(dns.asked).toEqual(['cdn.internal']);
  });
});

describe('redirects', () => {
  const hops =
    (count: number): Handler =>
    (request, response) => {
      const hop = Number(request.url?.slice(1));
      return hop < count ? redirect(`/${hop + 1}`, 307)(request, response) : void response.end('fox');
    };

  it('are followed three times', async () => {
    origin.handler = hops(3);

    const { stream, finalUrl } = await local().open(localUrl('/0'), LIMITS);

    expect((await buffer(stream)).toString()).toBe('fox');
    expect(finalUrl).toBe(localUrl('/3'));
  });

  it('are not followed a fourth time', async () => {
    origin.handler = hops(4);

    const error = await failureOf(local().open(localUrl('/0'), LIMITS));

    expect(error.message).toBe('image could not be fetched: it redirects more than 3 times.');
    expect(origin.seen).toHaveLength(4);
    await origin.idle();
  });

  it('carry a key along only at the host that it is for', async () => {
    dns.answer('one.example.com', [PUBLIC]);
    dns.answer('two.example.com', [PUBLIC]);
    const hosts = ['https://one.example.com/2', 'https://two.example.com/3', 'https://one.example.com/4'];
    origin.handler = (request, response) => {
      const to = hosts[origin.seen.length - 1];
      if (to === undefined) response.end('fox');
      else redirect(to)(request, response);
    };

    const headers = { authorization: 'Bearer a-key' };
    const { stream } = await guarded().open('https://one.example.com/1', { ...LIMITS, headers });
    await buffer(stream);

    const keys = origin.seen.map((request) => request.headers.authorization);
    expect(keys).toEqual(['Bearer a-key', 'Bearer a-key', undefined, undefined]);
  });

  it('without an address are an error', async () => {
    origin.handler = (_request, response) => void response.writeHead(302).end();

    expect((await failureOf(local().open(localUrl(), LIMITS))).message).toContain('status 302');
  });
});

describe('a body that misbehaves', () => {
  const endless: Handler = (_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on('drain', more).writeHead(200);
    more();
  };

  it('is cut when it passes the cap, and nothing of it stays open', async () => {
    origin.handler = endless;

    const { stream } = await local().open(localUrl(), LIMITS);
    const error = await failureOf(buffer(stream));

    expect(error).toBeInstanceOf(MediaTooLarge);
    expect(error).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      kind: 'invalid_request',
      extras: { param: 'image' },
    });
    expect(error.message).toBe('image is larger than 1000000 bytes.');
    await origin.idle();
  });

  it('may be as large as the cap to the byte', async () => {
    origin.handler = (_request, response) => void response.end(Buffer.alloc(1_000_000));

    const { stream } = await local().open(localUrl(), LIMITS);

    expect(await buffer(stream)).toHaveLength(1_000_000);
  });

  it('is refused unread when it announces more than the cap', async () => {
    origin.handler = (_request, response) => {
      response.writeHead(200, { 'content-length': 8_000_000_000 }).flushHeaders();
    };

    expect(await failureOf(local().open(localUrl(), LIMITS))).toBeInstanceOf(MediaTooLarge);
    await origin.idle();
  });

  it('is an error when it ends before its announced length', async () => {
    origin.handler = (_request, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('fox', () => response.destroy());
    };

    const { stream } = await local().open(localUrl(), LIMITS);

    expect((await failureOf(buffer(stream))).message).toContain('broke off');
  });

  it('holds no more than its announced length', async () => {
    origin.handler = (_request, response) => {
      response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nfoxes and more foxes');
    };

    const { stream } = await local().open(localUrl(), LIMITS);

    expect((await buffer(stream)).toString()).toBe('fox');
  });

  it('is cut when it drips past the time', async () => {
    origin.handler = (_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    };

    const { stream } = await local().open(localUrl(), { ...LIMITS, timeoutMs: 200 });

    expect((await failureOf(buffer(stream))).message).toBe(
      'image could not be fetched: it took longer than 0.2 seconds.',
    );
    await origin.idle();
  });

  it('is cut when its headers never come, and when its name is never resolved', async () => {
    origin.handler = () => undefined;
    const limits = { ...LIMITS, timeoutMs: 100 };
    expect((await failureOf(local().open(localUrl(), limits))).message).toContain('longer than 0.1 seconds');
    await origin.idle();

    jest.spyOn(dns, 'addressesOf').mockReturnValue(new Promise(() => undefined));
    const error = await failureOf(guarded().open('https://example.com/', limits));
    expect(error.message).toContain('longer than 0.1 seconds');
  });

  it('has one time for all its redirects', async () => {
    origin.handler = (request, response) => void setTimeout(() => redirect('/again')(request, response), 80);

    const error = await failureOf(local().open(localUrl(), { ...LIMITS, timeoutMs: 200 }));

    expect(error.message).toContain('longer than 0.2 seconds');
  });

  it('is refused when it comes compressed', async () => {
    origin.handler = (_request, response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end('bomb');

    expect((await failureOf(local().open(localUrl(), LIMITS))).message).toContain('compressed');
  });

  it('is refused when its headers are endless', async () => {
    origin.handler = (_request, response) =>
      void response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end('fox');

    expect(await failureOf(local().open(localUrl(), LIMITS))).toBeInstanceOf(MediaUnreachable);
  });

  it('that nobody reads ends by itself', async () => {
    origin.handler = endless;

    const { stream } = await local().open(localUrl(), { ...LIMITS, maxBytes: 1e9, timeoutMs: 1_000 });
    await origin.idle();

    expect(stream.destroyed).toBe(true);
  });

  it('that is given up early leaves no connection', async () => {
    origin.handler = endless;

    const { stream } = await local().open(localUrl(), LIMITS);
    stream.destroy();
    await origin.idle();

    expect(origin.open).toBe(0);
  });
});

describe('a host that is not there', () => {
  it('is named in no message', async () => {
    const { port } = origin;
    await origin.stop();
    const fetch = new SafeFetch(new SsrfGuard({ fetchAllowHosts: ['127.0.0.1'] }, dns));

    const error = await failureOf(fetch.open(`http://127.0.0.1:${port}/`, LIMITS));

    expect(error.message).toBe('image could not be fetched: its host did not answer, or broke off.');
    origin = await new Origin().listen();
  });
});
