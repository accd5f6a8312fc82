import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { type Film, probeFilm } from '#platform/media/film-probe';
import { filmPrompt } from '#models/providers/sandbox/film';

const NONE = { seconds: 0, pixels: 0, whole: false };

describe('looking into a video', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-probe-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const fileOf = (bytes: Buffer): string => {
    const path = join(folder, 'film');
    writeFileSync(path, bytes);
    return path;
  };

  const probe = (bytes: Buffer): Promise<Film | undefined> => probeFilm(fileOf(bytes), 'acc_test', 5_000);

  it('reports the length', async () => {
    const film = await probe(await filmPrompt('x', 32, 32, 3));
    expect(film?.seconds).toBeCloseTo(3, 1);
    expect(film).toMatchObject({ pixels: 32 * 32, whole: true });
  });

  it('finds that a film ends before its pictures do', async () => {
    const film = await filmPrompt('x', 32, 32, 3);
    // The film's pictures are between its head and its tables. The same tables over fewer bytes refer to missing
    // pictures.
    const pictures = film.indexOf('mdat', 0, 'latin1') + 4;
    const hollow = Buffer.from(film);
    hollow.fill(0, pictures + 200, film.indexOf('moov', pictures, 'latin1') - 4);
    expect((await probe(hollow))?.whole).not.toBe(true);
  });

  it('counts pictures where the time tables say that all of them take no time', async () => {
    const film = await filmPrompt('x', 32, 32, 60);
    const table = film.indexOf('stts', 0, 'latin1');
    for (let entry = 0; entry < film.readUInt32BE(table + 8); entry += 1) {
      film.writeUInt32BE(0, table + 16 + entry * 8);
    }
    expect((await probe(film))?.seconds).toBeGreaterThanOrEqual(1);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a head alone', Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1')],
    ['the head of another kind', Buffer.from('\x1a\x45\xdf\xa3 and nothing behind it', 'latin1')],
  ])('finds none in %s', async (_, bytes) => {
    // Bytes that begin like no film are not read at all.
    expect((await probe(bytes)) ?? NONE).toEqual(NONE);
  });

  it('gives up on a file that claims billions of frames, while everything else goes on', async () => {
    const film = await filmPrompt('x', 32, 32, 1);
    film.writeUInt32BE(0xfffffff0, film.indexOf('stsc', 0, 'latin1') + 16);
    let turns = 0;
    const probing = { goesOn: true };
    const others = (async () => {
      for (; probing.goesOn; turns += 1) await pause(10);
    })();

    const found = await probe(film);

    probing.goesOn = false;
    await others;
    expect(found).toBeUndefined();
    expect(turns).toBeGreaterThan(20);
  });
});
