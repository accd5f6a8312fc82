import type { ServerResponse } from 'node:http';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import { VENDOR_WORDS } from '../support/fake-provider';

/** Random numbers that depend only on a text, so that a repeated call gets the same lie. */
export class Dice {
  private rolled = 0;

  constructor(private readonly seed: string) {}

  /** From 0 to `sides` - 1. */
  roll(sides: number): number {
    const digest = createHash('sha256')
      .update(`${this.seed} ${(this.rolled += 1)}`)
      .digest();
    return digest.readUInt32BE(0) % sides;
  }

  one<T>(choices: readonly T[]): T {
    return choices[this.roll(choices.length)]!;
  }
}

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1e308,
  4_000_000_000,
  '',
  VENDOR_WORDS,
  `${VENDOR_WORDS} `.repeat(5_000),
  '../../etc/passwd',
  'http://169.254.169.254/latest/meta-data/',
  'file:///etc/passwd',
  '__proto__',
  [],
  {},
  [[[]]],
  [null],
  { constructor: { prototype: 1 } },
  Array.from({ length: 2_000 }, (_, at) => at),
];

/** The same value with one wrong part. */
export const twisted = (value: unknown, dice: Dice): unknown => {
  if (typeof value !== 'object' || value === null || dice.roll(4) === 0) return dice.one(ODD_VALUES);
  if (Array.isArray(value)) {
    if (value.length === 0) return [dice.one(ODD_VALUES)];
    const at = dice.roll(value.length);
    return value.map((each: unknown, index) => (index === at ? twisted(each, dice) : each));
  }
  const fields = Object.entries(value);
  if (fields.length === 0) return dice.one(ODD_VALUES);
  const at = dice.roll(fields.length);
  return Object.fromEntries(
    fields
      .filter((_, index) => index !== at || dice.roll(5) > 0)
      .map(([name, each], index) => [name, index === at ? twisted(each, dice) : each]),
  );
};

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** A way to send a body that is nearly or completely right. */
export type Lie = (response: ServerResponse, body: Buffer, type: string, dice: Dice) => void;

export const whole: Lie = (response, body, type) => {
  response.writeHead(200, { 'content-type': type, 'content-length': body.length }).end(body);
};

export const LIES: Readonly<Record<string, Lie>> = {
  'a cut body': (response, body, type) => {
    response.writeHead(200, { 'content-type': type, 'content-length': body.length + 100 });
    response.write(body.subarray(0, body.length / 2), () => response.destroy());
  },
  'a body that is longer than it says': (response, body, type) => {
    response.socket?.end(
      `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: 3\r\n\r\n${body.toString('latin1')}`,
      'latin1',
    );
  },
  'two lengths': (response, body) => {
    response.socket?.end(
      `HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 9\r\n\r\n${body.toString('latin1')}`,
    );
  },
  'no HTTP': (response) => response.socket?.end('\x00\x01 SSH-2.0\r\n\r\n'),
  'a chunk of no size': (response) => {
    response.socket?.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZZ\r\nabc\r\n');
  },
  'a chunk of all sizes': (response) => {
    response.socket?.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\nabc');
  },
  'a slow body': (response, body, type) => {
    response.writeHead(200, { 'content-type': type, 'content-length': body.length });
    let at = 0;
    const drop = setInterval(() => {
      const more = body.subarray(at, (at += Math.ceil(body.length / 10)));
      if (more.length === 0) {
        clearInterval(drop);
        response.end();
      } else response.write(more);
    }, 30);
    response.on('close', () => clearInterval(drop));
  },
  'a body that never ends': (response, body, type) => {
    response.writeHead(200, { 'content-type': type });
    response.write(body);
    const junk = Buffer.alloc(65_536, ' ');
    const more = setInterval(() => response.writableNeedDrain || response.write(junk), PACE_MS);
    response.on('close', () => clearInterval(more));
  },
  'a body that stops': (response, body, type) => {
    response.writeHead(200, { 'content-type': type }).write(body.subarray(0, body.length / 2));
  },
  'a reset in the middle': (response, body, type) => {
    response.writeHead(200, { 'content-type': type, connection: 'close' });
    response.write(body.subarray(0, body.length / 2), () => response.socket?.resetAndDestroy());
  },
  silence: () => undefined,
  'a reset': (response) => response.socket?.resetAndDestroy(),
  'an end': (response) => response.socket?.end(),
  'a gzip bomb': (response, _body, type) => {
    response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(4 * 1024 * 1024)));
  },
  'a flood of headers': (response, body) => {
    const headers = Array.from({ length: 3_000 }, (_, at) => `x-${at}: ${VENDOR_WORDS}\r\n`).join('');
    response.socket?.end(
      `HTTP/1.1 200 OK\r\n${headers}content-length: ${body.length}\r\n\r\n${body.toString('latin1')}`,
    );
  },
  'a long header': (response) => {
    response.socket?.end(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(200_000)}\r\n\r\n`);
  },
  'a flood of 103': (response, body, type) => {
    for (let at = 0; at < 200; at += 1) response.writeEarlyHints({ link: '</x>; rel=preload' });
    whole(response, body, type, new Dice(''));
  },
  'another protocol': (response) => {
    response.socket?.write(
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\nabc',
    );
  },
  'a redirect': (response, _body, _type, dice) => {
    const location = dice.one(['/', 'http://169.254.169.254/', 'file:///etc/passwd', '//', VENDOR_WORDS]);
    response.writeHead(dice.one([301, 302, 303, 307, 308]), { location }).end(VENDOR_WORDS);
  },
  'an odd status': (response, body, type, dice) => {
    const status = dice.one([
      202, 204, 205, 206, 226, 299, 300, 304, 306, 402, 409, 418, 425, 429, 451, 500, 503, 599,
    ]);
    response.writeHead(status, { 'content-type': type, 'retry-after': dice.one(['1', '-1', VENDOR_WORDS]) });
    response.end([204, 205, 304].includes(status) ? undefined : body);
  },
  nothing: (response) => response.writeHead(200, { 'content-length': 0 }).end(),
  'no JSON': (response) => whole(response, Buffer.from(`<html>${VENDOR_WORDS}`), 'text/html', new Dice('')),
  'half a JSON': (response, body, type) =>
    whole(response, body.subarray(0, body.length - 2), type, new Dice('')),
  'JSON of great depth': (response, _body, type) =>
    whole(response, Buffer.from(deep(100_000)), type, new Dice('')),
  'JSON of great length': (response, _body, type) =>
    whole(response, Buffer.from(JSON.stringify({ a: 'x'.repeat(9_000_000) })), type, new Dice('')),
  'bytes that are no text': (response, _body, type) =>
    whole(response, Buffer.from([0xff, 0xfe, 0x00, 0x22, 0xc0, 0xaf]), type, new Dice('')),
};

/** The lying server shares a process with the service. Without pauses it would use all of its time. */
export const PACE_MS = 5;

export const LIE_NAMES = Object.keys(LIES);
