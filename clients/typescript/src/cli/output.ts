import { existsSync } from 'node:fs';

export const usd = (micro: number): string => `$${(micro / 1e6).toFixed(6).replace(/0{1,4}$/, '')}`;

/** A line that is written anew as the work goes on, where somebody looks. */
export const showProgress = (percent: number): void => {
  if (!process.stderr.isTTY) return;
  const done = Math.round(percent / 4);
  process.stderr.write(`\r${'█'.repeat(done)}${'░'.repeat(25 - done)} ${percent} % `);
};
export const endProgress = (): void => {
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
