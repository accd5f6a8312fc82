import { silentMp3 } from '#models/providers/sandbox/tone';
import type { ServerResponse } from 'node:http';

import chunks from '../../src/models/providers/openai/fixtures/chunks.json';
import completion from '../../src/models/providers/openai/fixtures/completion.json';
import imagesAnswer from '../../src/models/providers/openai/fixtures/images.json';
import moderation from '../../src/models/providers/openai/fixtures/moderation.json';
import videoAnswer from '../../src/models/providers/openai/fixtures/video.json';
import { FakeProvider, type FakeReply, type FakeRequest, VENDOR_WORDS } from './fake-provider';

/** The role and the first word. */
const CHUNKS_BEFORE_HOLD = 2;

interface FakeVideo {
  readonly id: string;
  readonly form: string;
  statuses: string[];
  deleted: boolean;
}

const eventOf = (data: unknown): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** A stream that pauses after its first words until the test continues it. */
export class HeldStream {
  private response: ServerResponse | undefined;
  /** Whether its reader has disconnected before the end. */
  hungUp = false;

  begin(response: ServerResponse): void {
    this.response = response;
    response.on('close', () => (this.hungUp = !response.writableFinished));
    for (const chunk of chunks.slice(0, CHUNKS_BEFORE_HOLD)) this.say(chunk);
  }

  say(data: unknown): void {
    this.response?.write(eventOf(data));
  }

  /** Continues with the rest, as if there had been no pause. */
  goOn(): void {
    for (const chunk of chunks.slice(CHUNKS_BEFORE_HOLD)) this.say(chunk);
    this.say('[DONE]');
    this.end();
  }

  /** Ends the stream properly, although a part is missing. */
  end(): void {
    this.response?.end();
  }

  breakOff(): void {
    this.response?.socket?.resetAndDestroy();
  }
}

/** The routes of OpenAI that we use, on loopback. It records the accepted work. */
const TRANSCRIPT = {
  task: 'transcribe',
  language: 'english',
  duration: 1,
  text: 'The lamps are lit.',
  segments: [
    { id: 0, seek: 0, start: 0, end: 1, text: 'The lamps are lit.', tokens: [1, 2], avg_logprob: -0.2 },
  ],
};

/** The first bytes of a file, which show its type. */
const speechOf = (format: string): FakeReply =>
  format === 'opus'
    ? { bytes: Buffer.from('OggS and some frames'), type: 'audio/ogg' }
    : { bytes: silentMp3(1), type: 'audio/mpeg' };

export class FakeOpenai extends FakeProvider {
  /** The key that it accepts now. */
  key = 'sk-fake-openai-key-0123456789';
  /** The bodies of the executed completions, images and moderations. */
  readonly completions: Record<string, unknown>[] = [];
  readonly images: string[] = [];
  readonly speeches: Record<string, unknown>[] = [];
  /** The names in its list of models. Without them, it has no list. */
  listed: readonly string[] | undefined;
  readonly recordings: string[] = [];
  /** The number of pictures that it returns, whatever number the request has. */
  pictures: number | undefined;
  readonly videos: FakeVideo[] = [];
  /** The statuses of each video, in order. The last one repeats. */
  videoStatuses: string[] = ['queued', 'in_progress', 'completed'];
  /** Breaks a stream off after this many chunks. */
  streamEndsAfter: number | undefined;
  hungUp = 0;
  private readonly held: HeldStream[] = [];
  flagged: string | undefined;
  /** The scores of an input of the moderation; 0 for categories that it does not name. */
  scoresOf: ((input: Readonly<Record<string, unknown>>) => Readonly<Record<string, number>>) | undefined;

  /** The next stream pauses after its first words. */
  holdNextStream(): HeldStream {
    const stream = new HeldStream();
    this.held.push(stream);
    return stream;
  }

  static start(): Promise<FakeOpenai> {
    return new FakeOpenai().start();
  }

  get env(): Readonly<Record<string, string>> {
    return {
      OPENAI_BASE_URL: `${this.origin}/v1`,
      OPENAI_API_KEY: this.key,
    };
  }

  protected operationOf({ method, path }: FakeRequest): string {
    if (path === '/v1/chat/completions') return 'chat';
    if (path.startsWith('/v1/images/')) return 'image';
    if (path === '/v1/audio/speech') return 'speech';
    if (path === '/v1/audio/transcriptions') return 'transcription';
    if (path === '/v1/moderations') return 'moderation';
    if (path.endsWith('/content')) return 'content';
    if (path === '/v1/models') return 'list';
    return method === 'POST' ? 'submit' : method === 'DELETE' ? 'cancel' : 'status';
  }

  protected errorBody(status: number): unknown {
    const type =
      status === 429 ? 'rate_limit_exceeded' : status < 500 ? 'invalid_request_error' : 'server_error';
    return { error: { message: `${VENDOR_WORDS} openai`, type, param: null, code: null } };
  }

  protected answer(request: FakeRequest): FakeReply {
    if (request.headers.authorization !== `Bearer ${this.key}`) {
      return { status: 401, json: this.errorBody(401) };
    }
    switch (this.operationOf(request)) {
      case 'chat':
        return this.chat(JSON.parse(request.body.toString()) as Record<string, unknown>);
      case 'image': {
        this.images.push(request.body.toString('latin1'));
        const isJson = String(request.headers['content-type']).includes('json');
        const { n = 1 } = isJson ? (JSON.parse(request.body.toString()) as { n?: number }) : {};
        const datum = { ...imagesAnswer.data[0], b64_json: this.files.png.toString('base64') };
        const data = Array.from({ length: this.pictures ?? n }, () => datum);
        return { json: { ...imagesAnswer, data } };
      }
      case 'speech': {
        const speech = JSON.parse(request.body.toString()) as Record<string, unknown>;
        this.speeches.push(speech);
        return speechOf(String(speech['response_format']));
      }
      case 'transcription':
        this.recordings.push(request.body.toString('latin1'));
        return { json: TRANSCRIPT };
      case 'moderation':
        return { json: this.moderated(request.body.toString()) };
      case 'list':
        return this.listed === undefined
          ? { status: 404, json: this.errorBody(404) }
          : { json: { object: 'list', data: this.listed.map((id) => ({ id, object: 'model' })) } };
      default:
        return this.video(request);
    }
  }

  private moderated(body: string): unknown {
    const [result] = moderation.results;
    if (this.scoresOf !== undefined) {
      const [input = {}] = (JSON.parse(body) as { input: Record<string, unknown>[] }).input;
      return { ...moderation, results: [{ ...result, category_scores: this.scoresOf(input) }] };
    }
    if (this.flagged === undefined) return moderation;
    const categories = { ...result?.categories, [this.flagged]: true };
    return { ...moderation, results: [{ ...result, flagged: true, categories }] };
  }

  private chat(body: Record<string, unknown>): FakeReply {
    this.completions.push(body);
    return body['stream'] === true ? { stream: (response) => this.streamTo(response) } : { json: completion };
  }

  private streamTo(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.on('close', () => {
      if (!response.writableFinished) this.hungUp += 1;
    });
    const held = this.held.shift();
    if (held !== undefined) {
      held.begin(response);
      return;
    }
    const until = this.streamEndsAfter ?? chunks.length;
    for (const chunk of chunks.slice(0, until)) response.write(eventOf(chunk));
    // A stream without an end stays open until its reader disconnects.
    if (until !== Infinity) response.end(until < chunks.length ? '' : eventOf('[DONE]'));
  }

  private video(request: FakeRequest): FakeReply {
    if (request.method === 'POST') {
      const id = `video_${this.videos.length + 1}`;
      this.videos.push({
        id,
        form: request.body.toString('latin1'),
        statuses: [...this.videoStatuses],
        deleted: false,
      });
      return { json: { ...videoAnswer, id } };
    }
    const [, , , id = '', part] = request.path.split('/');
    const video = this.videos.find((each) => each.id === id);
    if (video === undefined) return { status: 404, json: this.errorBody(404) };
    if (request.method === 'DELETE') {
      video.deleted = true;
      return { json: { id, object: 'video.deleted', deleted: true } };
    }
    if (part === 'content') return { bytes: this.files.mp4, type: 'video/mp4' };
    const status = video.statuses.length > 1 ? video.statuses.shift() : video.statuses[0];
    const error = status === 'failed' ? { code: 'moderation_blocked', message: VENDOR_WORDS } : null;
    return { json: { ...videoAnswer, id, status, progress: status === 'in_progress' ? 40 : 0, error } };
  }
}
