import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { type LiveType, useReloadAfter } from './live-events.ts';
import { Empty, Loading, Problem, Table } from './ui.tsx';
import { useAction, useLoaded } from './use.ts';

/** The delay before the list reloads, so that the expected change is complete. */
const LAG_MS = 1_000;
/** Browsers run timers with a longer delay at once. */
const LATER_MS_MAX = 2 ** 30;

interface PageOf<T> {
  readonly lines: readonly T[];
  readonly nextCursor: string | null;
}

/** A paginated list, the newest rows first. It shows the first page, and further pages on request. */
export const Pages = <T,>({
  title,
  empty,
  head,
  load,
  line,
  turn,
  live = [],
  due,
}: {
  readonly title: string;
  readonly empty: string;
  readonly head: Parameters<typeof Table>[0]['head'];
  readonly load: (cursor: string | undefined) => Promise<PageOf<T>>;
  readonly line: (line: T) => ComponentChildren;
  /** The list reloads when this value changes. */
  readonly turn?: unknown;
  /** Events that add rows at the top. The list reloads after them, except if the person has loaded further pages. */
  readonly live?: readonly LiveType[];
  /** The time at which a shown row is due to change. The list then reloads. */
  readonly due?: (lines: readonly T[]) => number | undefined;
}) => {
  const first = useLoaded(() => load(undefined), [turn]);
  const [rest, setRest] = useState<PageOf<T>>();
  useEffect(() => setRest(undefined), [first.data]);
  const reload = (): void => {
    if (rest === undefined) first.reload();
  };
  useReloadAfter(live, reload, due === undefined ? 0 : LAG_MS);
  useEffect(() => {
    const at = first.data && due?.(first.data.lines);
    if (at === undefined || rest !== undefined) return undefined;
    const timer = setTimeout(reload, Math.max(0, Math.min(at - Date.now(), LATER_MS_MAX)) + LAG_MS);
    return () => clearTimeout(timer);
  }, [first.data, rest]);
  const cursor = (rest ?? first.data)?.nextCursor ?? undefined;
  const more = useAction(async () => {
    const page = await load(cursor);
    setRest({ ...page, lines: [...(rest?.lines ?? []), ...page.lines] });
  });
  const lines = [...(first.data?.lines ?? []), ...(rest?.lines ?? [])];
  return (
    <>
      <Problem error={first.error ?? more.error} />
      {first.data === undefined ? (
        first.error === undefined && <Loading rows={5} />
      ) : lines.length === 0 ? (
        <Empty title={empty} />
      ) : (
        <Table caption={title} head={head}>
          {lines.map(line)}
        </Table>
      )}
      {cursor === undefined ? null : (
        <div class="row">
          <button type="button" disabled={more.running} onClick={() => void more.run()}>
            Show older ones
          </button>
        </div>
      )}
    </>
  );
};
