import type { ComponentChildren } from 'preact';

import { Loading, Problem } from '../parts/ui.tsx';
import { useLoaded } from '../parts/use.ts';

/** A part of the operators' page. It loads its data once, and again on request. */
export const AdminSection = <Data,>({
  id,
  title,
  load,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly load: () => Promise<Data>;
  readonly children: (data: Data, reload: () => void) => ComponentChildren;
}) => {
  const { data, error, reload } = useLoaded(load, []);
  return (
    <section class="card stack" aria-labelledby={id}>
      <div class="row apart">
        <h2 id={id}>{title}</h2>
        <button type="button" class="small" onClick={reload}>
          Read again
        </button>
      </div>
      <Problem error={error} />
      {data === undefined ? error === undefined && <Loading /> : children(data, reload)}
    </section>
  );
};
