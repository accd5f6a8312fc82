const TICK_MS = 1_000;
const shown = { percent: 0, began: 0, timer: undefined as ReturnType<typeof setInterval> | undefined };

const draw = (): void => {
  const done = Math.max(0, Math.min(25, Math.round(shown.percent / 4)));
  const seconds = Math.round((Date.now() - shown.began) / 1_000);
  process.stderr.write(`\r${'█'.repeat(done)}${'░'.repeat(25 - done)} ${shown.percent} %  ${seconds} s `);
};

/** Rewrites one line of the terminal with the progress and the time. */
export const showProgress = (percent: number): void => {
  if (!process.stderr.isTTY) return;
  shown.percent = Math.max(0, Math.min(100, Math.round(percent)));
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
