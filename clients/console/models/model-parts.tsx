import type { ComponentChildren } from 'preact';

import { Badge, Table } from '../parts/ui.tsx';

export interface Parameter {
  readonly name: string;
  readonly values: string;
  readonly about: string;
}

/** The name of a model with its facts, and the end of its sale. */
export const Head = ({
  model: { id, name, adultsOnly, retiresOn, replacedBy, private: isPrivate },
  children,
}: {
  readonly model: {
    readonly id: string;
    readonly name: string;
    readonly adultsOnly?: boolean;
    readonly retiresOn?: string;
    readonly replacedBy?: string;
    readonly private?: boolean;
  };
  readonly children: ComponentChildren;
}) => (
  <>
    <div class="head">
      <div>
        <p class="soft">
          <a href="models">Models</a>
        </p>
        <h1>{name}</h1>
        <p>
          <span class="mono breaks">{id}</span> · {children}
        </p>
      </div>
      {adultsOnly === true ? <Badge tone="calm">adults only</Badge> : null}
      {isPrivate === true ? <Badge tone="calm">private</Badge> : null}
    </div>
    {retiresOn === undefined ? null : (
      <p class="notice">
        It is sold until {retiresOn} (UTC).
        {replacedBy === undefined ? null : (
          <>
            {' '}
            Use <a href={`models/${encodeURIComponent(replacedBy)}`}>{replacedBy}</a> instead.
          </>
        )}
      </p>
    )}
  </>
);

/** The fields that a call of the model may have. */
export const Parameters = ({ of, path }: { readonly of: readonly Parameter[]; readonly path: string }) => (
  <section class="card stack" aria-labelledby="parameters">
    <h2 id="parameters">Parameters</h2>
    <Table caption="Parameters" head={['Name', 'Values', { text: 'What it does', roomy: true }]}>
      {of.map(({ name, values, about }) => (
        <tr key={name}>
          <th scope="row" class="mono">
            {name}
          </th>
          <td>{values}</td>
          <td class="soft roomy">{about}</td>
        </tr>
      ))}
    </Table>
    <p class="soft">
      The <a href="docs">reference</a> has every field of the route <code>{path}</code>.
    </p>
  </section>
);
