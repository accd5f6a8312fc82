const { measure } = jest.requireActual('../../src/platform/media/recordings/measure.cjs') as {
  measure: (file: Buffer) => { seconds?: number; reason?: string };
};

const chunk = (id: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.write(id, 0, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
};
const wav = (...chunks: readonly Buffer[]): Buffer => {
  const body = Buffer.concat([Buffer.from('WAVE'), ...chunks]);
  return chunk('RIFF', body);
};
const fmt = Buffer.alloc(16);
fmt.writeUInt16LE(1, 0);
fmt.writeUInt16LE(1, 2);
fmt.writeUInt32LE(8_000, 4);
fmt.writeUInt32LE(16_000, 8);
fmt.writeUInt16LE(2, 12);
fmt.writeUInt16LE(16, 14);
const SOUND = chunk('data', Buffer.alloc(160_000, 1));
const XMP = chunk(
  '_PMX',
  Buffer.from('<x:xmpmeta><xmp:MetadataDate>2026-11-28</xmp:MetadataDate></x:xmpmeta>'),
);
const COMMENT = chunk(
  'LIST',
  Buffer.concat([Buffer.from('INFO'), chunk('ICMT', Buffer.from('field data of May'))]),
);

describe('a WAV file with metadata', () => {
  it.each([
    ['XMP behind the sound, as Adobe Audition writes it', [SOUND, XMP]],
    ['XMP before the sound', [XMP, SOUND]],
    ['a comment', [SOUND, COMMENT]],
  ])('is sold: %s', (_, chunks) => {
    const { seconds, reason } = measure(wav(chunk('fmt ', fmt), ...chunks));
    expect(reason).toBeUndefined();
    expect(seconds).toBeCloseTo(10, 1);
  });

  it('costs what a reader would play that finds a second data chunk in another chunk', () => {
    const hidden = chunk('junk', Buffer.concat([Buffer.from('x'), SOUND]));
    const { seconds = 0, reason } = measure(wav(chunk('fmt ', fmt), SOUND, hidden));
    expect(reason !== undefined || seconds >= 20).toBe(true);
  });
});
