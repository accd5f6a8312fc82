import type { ServerResponse } from 'node:http';

import { VENDOR_WORDS } from '../support/fake-provider';
import { LoopbackServer, type Received } from '../support/loopback-server';
import { Dice, LIES, LIE_NAMES, PACE_MS, twisted, whole } from './odd-answers';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

interface Honest {
  readonly operation: string;
  /** The call of the test that this belongs to. */
  readonly call: string;
  readonly json?: unknown;
  readonly bytes?: Buffer;
  readonly events?: readonly unknown[];
}

const callIn = (text: string): string => /call(\d{5})/.exec(text)?.[1] ?? '00000';

/** A vendor for all our products, in three APIs. About every third answer is true. */
export class LyingVendor extends LoopbackServer {
  /** The number of lies by kind. */
  readonly reported = new Map<string, number>();
  asked = 0;
  private readonly times = new Map<string, number>();

  constructor(
    private readonly seed: string,
    private readonly files: { readonly png: Buffer; readonly mp4: Buffer },
  ) {
    super();
  }

  get env(): Readonly<Record<string, string>> {
    return {
      FAL_BASE_URL: `${this.origin}/fal`,
      FAL_API_URL: `${this.origin}/fal-platform`,
      FAL_KEY: 'fake-fal-key-0123456789',
      REPLICATE_BASE_URL: `${this.origin}/replicate`,
      REPLICATE_API_TOKEN: 'r8_fake_0123456789',
      OPENAI_BASE_URL: `${this.origin}/openai`,
      OPENAI_API_KEY: 'sk-fake-0123456789',
      FETCH_ALLOW_HOSTS: this.host,
    };
  }

  protected override serve({ method, path, body: received }: Received, response: ServerResponse): void {
    this.asked += 1;
    const asked = { method, path, body: received.toString('latin1') };
    const { operation, call, json, bytes, events } = this.honest(asked);
    const place = `${operation} ${call}`;
    const time = (this.times.get(place) ?? 0) + 1;
    this.times.set(place, time);
    const dice = new Dice(`${this.seed} ${place} ${time}`);
    const isHonest = dice.roll(3) === 0;
    const isTwisted = !isHonest && dice.roll(2) === 0;
    if (events !== undefined) {
      this.streamTo(response, isHonest ? events : this.twistedEvents(events, dice), isHonest, dice);
      return;
    }
    const type = bytes === undefined ? 'application/json' : 'application/octet-stream';
    const body =
      bytes === undefined
        ? Buffer.from(JSON.stringify(isTwisted ? twisted(json, dice) : json))
        : isTwisted
          ? this.twistedFile(bytes, dice)
          : bytes;
    if (isHonest || isTwisted) {
      this.note(isHonest ? 'truth' : 'a twist');
      whole(response, body, type, dice);
      return;
    }
    const name = dice.one(LIE_NAMES);
    this.note(name);
    LIES[name]!(response, body, type, dice);
  }

  private note(what: string): void {
    this.reported.set(what, (this.reported.get(what) ?? 0) + 1);
  }

  private honest({ method, path, body }: Asked): Honest {
    const [, vendor = '', ...rest] = path.split('/');
    const call = callIn(path) === '00000' ? callIn(body) : callIn(path);
    const file = (kind: string): string => `${this.origin}/files/call${call}.${kind}`;
    const isFilm = Number(call) % 2 === 1;
    if (vendor === 'files') {
      return { operation: 'file', call, bytes: path.endsWith('mp4') ? this.files.mp4 : this.files.png };
    }
    if (vendor === 'replicate') {
      // Some ids belong to other callers.
      const id = `call${call}`;
      if (method === 'POST' && rest.at(-1) === 'predictions') {
        return { operation: 'replicate submit', call, json: { id, status: 'starting', logs: VENDOR_WORDS } };
      }
      const done = (this.times.get(`replicate status ${call}`) ?? 0) > 1;
      return {
        operation: 'replicate status',
        call,
        json: done
          ? { id, status: 'succeeded', output: [file('png')], logs: '100%', error: VENDOR_WORDS }
          : { id, status: 'processing', logs: '40%' },
      };
    }
    if (vendor === 'fal') {
      const id = `call${call}-fal`;
      if (method === 'POST') {
        return {
          operation: 'fal submit',
          call,
          json: { request_id: id, status: 'IN_QUEUE', queue_position: 3 },
        };
      }
      if (path.endsWith('/status')) {
        const done = (this.times.get(`fal status ${call}`) ?? 0) > 1;
        const logs = [{ message: 'x'.repeat(120_000) }, { message: '42%' }];
        return { operation: 'fal status', call, json: { status: done ? 'COMPLETED' : 'IN_PROGRESS', logs } };
      }
      return {
        operation: 'fal result',
        call,
        json: { images: [{ url: file('png') }], prompt: VENDOR_WORDS },
      };
    }
    if (path.endsWith('/chat/completions')) {
      const usage = { prompt_tokens: 5, completion_tokens: 7 };
      if (!body.includes('"stream":true')) {
        return {
          operation: 'chat',
          call,
          json: { choices: [{ message: { role: 'assistant', content: 'Well said.' } }], usage },
        };
      }
      const chunk = (delta: object, finish: string | null = null) => ({
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
      return {
        operation: 'stream',
        call,
        events: [
          chunk({ role: 'assistant', content: '' }),
          chunk({ content: 'Well ' }),
          chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] }),
          chunk({ content: 'said.' }),
          chunk({}, 'stop'),
          { choices: [], usage },
        ],
      };
    }
    if (path.includes('/images/')) {
      const data = [{ b64_json: this.files.png.toString('base64'), revised_prompt: VENDOR_WORDS }];
      return { operation: 'image', call, json: { created: 1, data } };
    }
    if (path.endsWith('/content')) return { operation: 'content', call, bytes: this.files.mp4 };
    const id = `video_call${call}`;
    if (method === 'POST') return { operation: 'video', call, json: { id, status: 'queued', progress: 0 } };
    // The reported states also go backwards.
    const states = ['queued', 'in_progress', 'completed', 'in_progress', 'queued', 'failed'];
    const at = (this.times.get(`video status ${call}`) ?? 0) % (isFilm ? 3 : states.length);
    return {
      operation: 'video status',
      call,
      json: { id, status: states[at], progress: 90 - at * 30, error: { message: VENDOR_WORDS } },
    };
  }

  private twistedFile(bytes: Buffer, dice: Dice): Buffer {
    const claims = Buffer.from(bytes);
    if (claims.length > 24) claims.writeUInt32BE(60_000, 16);
    return dice.one([
      bytes.subarray(0, bytes.length / 2),
      Buffer.concat([bytes.subarray(0, 16), Buffer.alloc(1_000_000)]),
      claims,
      Buffer.from(VENDOR_WORDS),
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      Buffer.alloc(0),
      bytes.subarray(0, 16),
    ]);
  }

  private twistedEvents(events: readonly unknown[], dice: Dice): readonly unknown[] {
    switch (dice.roll(6)) {
      case 0:
        return events.slice(0, dice.roll(events.length));
      case 1:
        return [...events].reverse();
      case 2:
        return events.flatMap((event) => Array.from({ length: 50 }, () => event));
      case 3:
        return [{ error: { message: VENDOR_WORDS } }];
      default: {
        const at = dice.roll(events.length);
        return events.map((event, index) => (index === at ? twisted(event, dice) : event));
      }
    }
  }

  private streamTo(
    response: ServerResponse,
    events: readonly unknown[],
    isHonest: boolean,
    dice: Dice,
  ): void {
    const said = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    const endings: readonly ((all: string) => void)[] = [
      (all) => response.end(`${all}data: [DONE]\n\n`),
      (all) => response.end(`data: [DONE]\n\n${all}`),
      (all) => response.end(all),
      (all) => response.end(all.replaceAll('\n\n', '\r\n\r\n').replaceAll('data: ', 'data:')),
      (all) => response.write(all, () => response.socket?.resetAndDestroy()),
      (all) => response.write(all),
      (all) => {
        const more = setInterval(() => response.writableNeedDrain || response.write(all.repeat(20)), PACE_MS);
        response.on('close', () => clearInterval(more));
      },
      (all) => response.end(`${':'.repeat(500_000)}\n${all}data: {"half`),
      (all) => response.end(`${all}data: ${'['.repeat(200_000)}\n\ndata: [DONE]\n\n`),
    ];
    const at = isHonest ? 0 : dice.roll(endings.length);
    this.note(`stream ending ${at}`);
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      ...(dice.roll(3) === 0 ? { connection: 'close' } : {}),
    });
    endings[at]!(said);
  }
}
