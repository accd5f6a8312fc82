import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { probeSeconds } from '../../src/platform/media/video-probe';
import { filmPrompt } from '../../src/providers/sandbox/film';

describe('looking into a video', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-probe-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const fileOf = (bytes: Buffer): string => {
    const path = join(folder, 'film');
    writeFileSync(path, bytes);
    return path;
  };

  it('tells how long it lasts', async () => {
    expect(await probeSeconds(fileOf(await filmPrompt('x', 32, 32, 3)))).toBeCloseTo(3, 1);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a head alone', Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1')],
    ['the head of another kind', Buffer.from('\x1a\x45\xdf\xa3 and nothing behind it', 'latin1')],
  ])('finds none in %s', async (_, bytes) => {
    expect(await probeSeconds(fileOf(bytes))).toBe(0);
  });

  it('gives up on a file that claims billions of frames, while everything else goes on', async () => {
    const film = await filmPrompt('x', 32, 32, 1);
    film.writeUInt32BE(0xfffffff0, film.indexOf('stsc', 0, 'latin1') + 16);
    let turns = 0;
    const probing = { goesOn: true };
    const others = (async () => {
      for (; probing.goesOn; turns += 1) await pause(10);
    })();

    const seconds = await probeSeconds(fileOf(film));

    probing.goesOn = false;
    await others;
    expect(seconds).toBe(0);
    expect(turns).toBeGreaterThan(20);
  });
});
