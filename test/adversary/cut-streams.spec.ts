import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';

import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import type { World } from '../support/world';
import { TextVendor, event, openStream, piece, usage } from './text-vendor';

const FUNDS = 1_000_000_000;
const HI = [{ role: 'user', content: 'hi' }];
const CALL = {
  model: 'words',
  messages: HI,
  stream: true,
  stream_options: { include_usage: true },
  max_tokens: 4_096,
};
const DONE = event('[DONE]');
const WORDS = Array.from({ length: 2_000 }, (_, at) => `wörd-${at} 🏮 `);
const said = WORDS.map((content) => piece({ content })).join('');
const some = WORDS.slice(0, 40)
  .map((content) => piece({ content }))
  .join('');
const end = piece({}, 'stop');

/** The bytes of a stream. The way in which they are cut into packets must change nothing. */
const STREAMS: readonly (readonly [string, Buffer])[] = [
  ['2,000 pieces with counts', Buffer.from(said + end + usage(3, 4_000) + DONE)],
  ['2,000 pieces without counts', Buffer.from(said + end + DONE)],
  [
    'counts before, between and after the text',
    Buffer.from(usage(3, 1) + some + usage(3, 90) + some + end + usage(3, 300) + DONE),
  ],
  ['counts before the last words', Buffer.from(some + usage(3, 90) + some + end + DONE)],
  ['counts that shrink', Buffer.from(some + usage(3, 500) + some + end + usage(1, 2) + DONE)],
  ['words after the end', Buffer.from(some + end + usage(3, 9) + DONE + some + usage(3, 9_000))],
  [
    'an error in the middle',
    Buffer.from(
      some + event({ error: { message: 'words of the vendor' } }) + some + end + usage(3, 9) + DONE,
    ),
  ],
  [
    'half an event in the middle',
    Buffer.from(`${some}data: {"choices":[{"del\n\n${some}${end}${usage(3, 9)}${DONE}`),
  ],
  ['no end', Buffer.from(some)],
  ['an end without a blank line', Buffer.from((some + end + usage(3, 9)).trimEnd() + '\n')],
  ['other ends of lines', Buffer.from((some + end + usage(3, 9) + DONE).replaceAll('\n', '\r\n'))],
  [
    'comments and a mark at the beginning',
    Buffer.from(`\uFEFF: hello\n\n${some}: still here\n\n${end}${usage(3, 9)}${DONE}`),
  ],
  [
    'bytes that are no text',
    Buffer.concat(
      [piece({ content: 'a§b' }), some, piece({ content: '§' }), end, usage(3, 9), DONE].map((text) =>
        Buffer.from(
          Buffer.from(text).toString('latin1').replaceAll('\u00c2\u00a7', '\u00f0\u009f('),
          'latin1',
        ),
      ),
    ),
  ],
  [
    'the arguments of a tool',
    Buffer.from(
      piece({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '' } }] }) +
        ['{"a":', '"ü🏮"', '}']
          .map((text) => piece({ tool_calls: [{ index: 0, function: { arguments: text } }] }))
          .join('') +
        piece({}, 'tool_calls') +
        usage(3, 9) +
        DONE,
    ),
  ],
];

const whole = (bytes: Buffer): Buffer[] => [bytes];
const each =
  (size: number) =>
  (bytes: Buffer): Buffer[] =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
const byEvent = (bytes: Buffer): Buffer[] => {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const next = bytes.indexOf('\n\n', at);
    const until = next === -1 ? bytes.length : next + 2;
    parts.push(bytes.subarray(at, until));
    at = until;
  }
  return parts;
};
/** Cuts that a seed chooses, between any two bytes. */
const anywhere =
  (seed: number) =>
  (bytes: Buffer): Buffer[] => {
    const parts: Buffer[] = [];
    let state = seed;
    for (let at = 0; at < bytes.length;) {
      state = (state * 48_271) % 2_147_483_647;
      const until = at + 1 + (state % 1_500);
      parts.push(bytes.subarray(at, until));
      at = until;
    }
    return parts;
  };

describe('a stream of a vendor, however it is cut', () => {
  let vendor: TextVendor;
  let world: World;
  let url: string;
  let caller: KeyCaller;

  beforeAll(async () => {
    vendor = await new TextVendor().start();
    world = await vendor.world();
    url = await world.listen();
    caller = await KeyCaller.register(world, BigInt(FUNDS));
  });
  beforeEach(() => vendor.forget());
  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await vendor.stop();
  });

  const lastCharge = async (): Promise<{ state: string; micro: number }> =>
    (await world.db.one<{ state: string; micro: number }>(
      'select state, price_micro::float8 as micro from charge order by created_at desc, id desc limit 1',
    ))!;
  const sends = (parts: readonly Buffer[], after: (response: ServerResponse) => void): void =>
    vendor.next((response) => {
      openStream(response).flushHeaders();
      response.socket?.setNoDelay();
      const send = async (): Promise<void> => {
        for (const part of parts) {
          if (response.destroyed) return;
          response.write(part);
          if (parts.length > 1) await turn();
        }
        after(response);
      };
      void send();
    });

  /** The text and the money of one call. */
  const outcomeOf = async (parts: readonly Buffer[]) => {
    sends(parts, (response) => response.end());
    const before = (await world.get('/v1/account', { cookie: caller.cookie })).body.balanceMicro as number;
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${caller.key}` },
      body: JSON.stringify(CALL),
    });
    const events = (await answer.text())
      .split('\n\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)) as Record<string, never>);
    const chunks = events as unknown as readonly {
      readonly choices?: readonly {
        delta?: { content?: string; tool_calls?: unknown };
        finish_reason?: string;
      }[];
      readonly usage?: unknown;
      readonly error?: { readonly code: string };
    }[];
    const deltas = chunks.flatMap(({ choices = [] }) => choices);
    const charge = await lastCharge();
    const after = (await world.get('/v1/account', { cookie: caller.cookie })).body.balanceMicro as number;
    expect(before - after).toBe(charge.state === 'charged' ? charge.micro : 0);
    return {
      text: deltas.map(({ delta }) => delta?.content ?? '').join(''),
      tools: JSON.stringify(deltas.flatMap(({ delta }) => delta?.tool_calls ?? [])),
      finish: deltas.map((choice) => choice.finish_reason).filter(Boolean),
      usage: chunks.map((chunk) => chunk.usage).filter(Boolean),
      errors: chunks.flatMap(({ error }) => error?.code ?? []),
      ...charge,
    };
  };

  it.each(STREAMS)('says and costs the same: %s', async (_name, bytes) => {
    const expected = await outcomeOf(byEvent(bytes));

    expect(await outcomeOf(whole(bytes))).toEqual(expected);
    expect(await outcomeOf(each(bytes.length < 20_000 ? 7 : 997)(bytes))).toEqual(expected);
    for (const seed of [11, 4_711, 99_991]) expect(await outcomeOf(anywhere(seed)(bytes))).toEqual(expected);
  });

  it.each([
    ['in one packet', whole],
    ['one by one', byEvent],
  ])('charges a caller who leaves in the middle for all that the model produced, %s', async (_name, cut) => {
    sends(cut(Buffer.from(said)), () => undefined); // The vendor stays.
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const body = JSON.stringify(CALL);
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-api-key: ${caller.key}\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    let seen = '';
    socket.on('data', (data) => (seen += String(data)));
    await expectEventually(() => seen.includes('w'));
    await pause(300);
    socket.resetAndDestroy();
    await expectEventually(async () => (await lastCharge()).state !== 'held');

    const charge = await lastCharge();
    expect(charge.state).toBe('charged');
    await expectEventually(() => vendor.requests.at(-1)!.destroyed);
  });
});
