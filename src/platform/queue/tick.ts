/**
 * Between two ticks of the queue. Each costs an idle process a handful of statements; whatever a process had to run
 * that died right after it took one waits for the next.
 */
export const TICK_MS = 2_000;

/** The stretch of time that one tick answers for. The next one begins where it ends, so that nothing is left out. */
export interface Tick {
  readonly from: number;
  readonly to: number;
}

/**
 * A tick's time is the queue's, which all processes share, and stands in its id: `repeat:ticks:1764000000000`. Who
 * takes it late, by its own clock, has put the next one behind that: the ticks between the two will never come.
 */
export const tickOf = ({ id = '', processedOn = 0 }: { id?: string; processedOn?: number }): Tick => {
  const from = Number(/:(\d+)$/.exec(id)?.[1] ?? processedOn);
  const next = from + TICK_MS;
  const afterNow = processedOn - (processedOn % TICK_MS) + TICK_MS + (from % TICK_MS);
  return { from, to: next < processedOn ? afterNow : next };
};

/** How long after the begin of a tick something is run that is run each `everyMs`: not at all, once, or several times. */
export const runsIn = ({ from, to }: Tick, everyMs: number): readonly number[] => {
  if (Math.ceil(from / everyMs) * everyMs >= to) return [];
  return Array.from({ length: Math.max(1, Math.floor(TICK_MS / everyMs)) }, (_, n) => n * everyMs);
};
