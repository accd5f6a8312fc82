import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MkvOutputFormat, Mp4OutputFormat, OggOutputFormat, WebMOutputFormat } from 'mediabunny';

import { silentMp3, tone, wavOf } from '#models/providers/sandbox/tone';
import { KeyCaller } from '../support/caller';
import {
  AAC,
  AAC_OF_8_KHZ,
  OPUS,
  editList,
  fragment,
  mp3Frames,
  packed,
  withBox,
} from '../support/recordings';
import { World } from '../support/world';

const PATH = '/v1/audio/transcriptions';
const AAC_SECONDS = 1_024 / 44_100;
/** The container claims a hundredth of what it plays. */
const SHORT = 0.000_2;

const priceOf = (seconds: number): number =>
  Math.max(4_546, Math.ceil((seconds * 360_000 * 20) / (13 * 3_600)));

const wav = (seconds: number): Buffer => wavOf(tone(seconds, 440));
const opus = (seconds: number): Promise<Buffer> => packed(new OggOutputFormat(), OPUS, seconds * 50, 0.02);
const webm = (seconds: number): Promise<Buffer> => packed(new WebMOutputFormat(), OPUS, seconds * 50, 0.02);
const m4a = (packets: number, claimed = AAC_SECONDS): Promise<Buffer> =>
  packed(new Mp4OutputFormat({ fastStart: false }), AAC, packets, claimed);

/** The same bytes with one number of 16 bits changed. */
const changed = (file: Buffer, at: number, value: number): Buffer => {
  const copy = Buffer.from(file);
  copy.writeUInt16LE(value, at);
  return copy;
};

/** All pages of two streams, in turn. */
const multiplexed = (first: Buffer, second: Buffer): Buffer => {
  const pagesOf = (file: Buffer): Buffer[] => {
    const starts: number[] = [];
    for (let at = file.indexOf('OggS'); at !== -1; at = file.indexOf('OggS', at + 1)) starts.push(at);
    return starts.map((at, index) => file.subarray(at, starts[index + 1]));
  };
  const others = pagesOf(second).map((page) => {
    const copy = Buffer.from(page);
    copy.writeUInt32LE(0xabcdef, 14);
    return copy;
  });
  return Buffer.concat(pagesOf(first).flatMap((page, at) => [page, ...(others[at] ? [others[at]] : [])]));
};

const wavWithTwoParts = (): Buffer => {
  const [first, second] = [wav(1), wav(300)];
  return Buffer.concat([first, second.subarray(36)]);
};

const hiddenData = (): Buffer => {
  const hidden = Buffer.concat([Buffer.from('x'), wav(300).subarray(36)]);
  const head = Buffer.alloc(8);
  head.write('LIST', 'latin1');
  head.writeUInt32LE(hidden.length, 4);
  return Buffer.concat([wav(1), head, hidden]);
};

/** Its fields are at their places by RFC 2361. */
const WAV = { CHANNELS: 22, BLOCK: 32, BITS: 34 };

describe('recordings that claim to be shorter than they play', () => {
  let world: World;
  let url: string;
  let caller: KeyCaller;

  beforeAll(async () => {
    world = await World.start();
    url = await world.listen();
    caller = await KeyCaller.register(world, 200_000_000n);
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const send = async (file: Buffer) => {
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(file)]), 'recording.bin');
    const answer = await fetch(`${url}${PATH}`, {
      method: 'POST',
      body,
      headers: { 'x-api-key': caller.key },
    });
    return {
      status: answer.status,
      price: Number(answer.headers.get('x-charge-micro')),
      body: (await answer.json()) as { error?: { code: string; message: string } },
    };
  };

  it.each([
    [
      'an edit list that plays 3 seconds',
      async () => withBox(await m4a(13_221), ['moov', 'trak'], editList(172_800, 1, 13_090 * 1_024)),
      307,
    ],
    [
      'an edit list over short claims',
      async () => withBox(await m4a(13_221, SHORT), ['moov', 'trak'], editList(1)),
      307,
    ],
    [
      'edits that repeat 3 seconds',
      async () => withBox(await m4a(130), ['moov', 'trak'], editList(172_800, 100)),
      300,
    ],
    [
      'SBR that names 96 kHz over 8 kHz',
      () => packed(new Mp4OutputFormat(), AAC_OF_8_KHZ, 2_344, 1_024 / 96_000),
      301,
    ],
    ['samples in fragments only', async () => Buffer.concat([await m4a(1), fragment(13_220)]), 307],
    [
      'Opus in MP4 with an edit list',
      async () =>
        withBox(
          await packed(new Mp4OutputFormat({ fastStart: false }), OPUS, 15_000, SHORT),
          ['moov', 'trak'],
          editList(1),
        ),
      300,
    ],
    ['WebM with short claims', () => packed(new WebMOutputFormat(), OPUS, 15_000, 0.001), 300],
    ['WebM', () => webm(300), 300],
    ['Ogg with short claims', () => packed(new OggOutputFormat(), OPUS, 15_000, 0.001), 300],
    ['an open WAV file', async () => changed(changed(wav(300), 40, 0), 42, 0), 300],
    ['MP3', async () => silentMp3(300), 300],
    [
      'MP3 with tags',
      async () =>
        Buffer.concat([
          Buffer.from('ID3\x04\0\0\0\0\0\x05hello'),
          silentMp3(300),
          Buffer.from('TAG'.padEnd(128, ' ')),
        ]),
      300,
    ],
  ] as const)('cost what any player plays: %s', async (_, make, seconds) => {
    const { status, price, body } = await send(await make());

    expect([status, body.error?.message]).toEqual([200, undefined]);
    expect(price).toBeGreaterThanOrEqual(priceOf(seconds - 1));
    expect(price).toBeLessThanOrEqual(priceOf(seconds + 1));
  });

  it.each([
    ['two Ogg streams, one after the other', async () => Buffer.concat([await opus(1), await opus(300)])],
    ['two Ogg streams at once', async () => multiplexed(await opus(1), await opus(300))],
    [
      'bytes between Ogg pages',
      async () => Buffer.concat([await opus(1), Buffer.from('x'), await opus(300)]),
    ],
    ['a WAV file of odd block alignment', async () => changed(wav(300), WAV.BLOCK, 200)],
    ['a WAV file of more channels than bytes', async () => changed(wav(300), WAV.CHANNELS, 100)],
    ['a WAV file of more bits than bytes', async () => changed(wav(300), WAV.BITS, 64)],
    ['two WAV data chunks', async () => wavWithTwoParts()],
    ['WAV data that another chunk hides', async () => hiddenData()],
    [
      'MP3 that changes its channels',
      async () => Buffer.concat([mp3Frames(40, false), mp3Frames(12_500, true)]),
    ],
    [
      'MP3 with other bytes between its frames',
      async () => Buffer.concat([mp3Frames(40, true), Buffer.from('xyz'), mp3Frames(12_500, true)]),
    ],
    [
      'MP3 behind a tag at its end',
      async () => Buffer.concat([mp3Frames(40, true), Buffer.from('APETAGEX'), mp3Frames(12_500, true)]),
    ],
    [
      'MP3 whose tag looks like an MP4 file',
      async () => Buffer.concat([Buffer.from('ID3\x04ftyp\0\0'), mp3Frames(100, true)]),
    ],
    ['AAC in Matroska', () => packed(new MkvOutputFormat(), AAC, 13_221, SHORT)],
    [
      'several AAC frames in one sample',
      () => packed(new Mp4OutputFormat(), { ...AAC, packet: new Uint8Array(2_000) }, 10, AAC_SECONDS),
    ],
    ['two WebM segments', async () => Buffer.concat([await webm(1), await webm(300)])],
    ['a play list', async () => Buffer.from('#EXTM3U\n#EXTINF:10,\n/etc/passwd\n')],
    [
      'a play list of line breaks',
      async () => Buffer.concat([Buffer.from('#EXTM3U\n'), Buffer.alloc(24 * 1024 * 1024, '\n')]),
    ],
    ['a play list of a large file', async () => playListOf(24 * 1024 * 1024)],
    ['an MPEG transport stream', async () => Buffer.alloc(188 * 100, 'G')],
    ['FLAC', async () => Buffer.from('fLaC\0\0\0\x22'.padEnd(100, '\0'))],
  ] as const)('are refused if readers differ: %s', async (_, make) => {
    const { status, body } = await send(await make());

    expect([status, body.error?.code]).toEqual([415, 'UNSUPPORTED_MEDIA']);
    expect(body.error?.message).toContain('so it has no certain duration and no price');
  });

  const playListOf = (bytes: number): Buffer => {
    const path = join(mkdtempSync(join(tmpdir(), 'lamppost-list-')), 'large.ts');
    writeFileSync(path, Buffer.alloc(bytes, 'G'));
    return Buffer.from(`#EXTM3U\n#EXTINF:10,\n${path}\n`.repeat(100));
  };
});
