import { existsSync } from 'node:fs';

export const usd = (micro: number): string => `$${(micro / 1e6).toFixed(6).replace(/0{1,4}$/, '')}`;

/** What somebody else wrote, on one line and without what a terminal would obey. */
export const oneLine = (text: unknown): string =>
  (typeof text === 'string' ? text : JSON.stringify(text ?? ''))
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .slice(0, 300)
    .trim();

const TICK_MS = 1_000;
const shown = { percent: 0, began: 0, timer: undefined as ReturnType<typeof setInterval> | undefined };

const draw = (): void => {
  const done = Math.round(shown.percent / 4);
  const seconds = Math.round((Date.now() - shown.began) / 1_000);
  process.stderr.write(`\r${'█'.repeat(done)}${'░'.repeat(25 - done)} ${shown.percent} %  ${seconds} s `);
};

/** A line that is written anew as the work and the time go on, where somebody looks. */
export const showProgress = (percent: number): void => {
  if (!process.stderr.isTTY) return;
  shown.percent = percent;
  if (shown.timer === undefined) {
    shown.began = Date.now();
    shown.timer = setInterval(draw, TICK_MS);
    shown.timer.unref();
  }
  draw();
};

export const endProgress = (): void => {
  clearInterval(shown.timer);
  shown.timer = undefined;
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K');
};

export const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/webp': '.webp',
  'video/mp4': '.mp4',
  'video/webm': '.webm',
};

/** A name out of the first words, that nothing has yet. */
export const nameFor = (text: string, ending: string): string => {
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  for (let turn = 1; ; turn += 1) {
    const name = `${slug || 'made'}${turn === 1 ? '' : `-${turn}`}${ending}`;
    if (!existsSync(name)) return name;
  }
};
