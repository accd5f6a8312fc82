import { useRef, useState } from 'preact/hooks';

import { Allowed } from '../parts/allowed.tsx';
import { call } from '../parts/api.ts';
import { DropZone } from '../parts/drop.tsx';
import { ago, bytes, count } from '../parts/format.ts';
import { useReloadAfter } from '../parts/live-events.ts';
import { Medium } from './medium.tsx';
import { show } from '../parts/shell.tsx';
import { problemOf, readDataUri } from './inputs.ts';
import type { Reference } from './sources.tsx';
import { Badge, Confirm, Empty, Loading, Problem, TextInput } from '../parts/ui.tsx';
import { upload } from './upload.ts';
import { useAction, useAddress, useLoaded, useSettled } from '../parts/use.ts';

const SEARCH_MAX = 24;

/** An upload in progress, with its label and its percentage. */
interface Waiting {
  readonly file: File;
  readonly label: string;
  readonly percent?: number;
  readonly problem?: string;
}

const kindOf = (file: File): 'image' | 'video' => (file.type.startsWith('video/') ? 'video' : 'image');

/** The file name without its extension is the proposed label. */
const labelOf = ({ name }: File): string =>
  name
    .replace(/\.\w+$/, '')
    .replaceAll(/[_-]+/g, ' ')
    .slice(0, 200);

const Store = ({ onStored }: { readonly onStored: () => void }) => {
  const input = useRef<HTMLInputElement>(null);
  const [waiting, setWaiting] = useState<readonly Waiting[]>([]);
  const change = (file: File, changes: Partial<Waiting>): void =>
    setWaiting((before) => before.map((one) => (one.file === file ? { ...one, ...changes } : one)));
  const take = (files: Iterable<File>): void => {
    const taken = [...files].map((file): Waiting => {
      const problem = problemOf(file, kindOf(file));
      return { file, label: labelOf(file), problem };
    });
    setWaiting((before) => [...before.filter(({ problem }) => problem === undefined), ...taken]);
  };
  const store = useAction(async () => {
    // Uploads run one after the other, because the service accepts two large bodies at a time.
    for (const { file, label, problem } of waiting) {
      if (problem !== undefined) continue;
      try {
        change(file, { percent: 0 });
        const words = label.trim();
        const body = { media: await readDataUri(file), label: words || undefined };
        await upload(body, (percent) => change(file, { percent }));
        setWaiting((before) => before.filter((one) => one.file !== file));
        onStored();
      } catch (error) {
        change(file, { problem: (error as Error).message });
      }
    }
  });
  const isReady = waiting.some(({ problem }) => problem === undefined);
  return (
    <section class="card stack" aria-label="Store references">
      <DropZone label="Files to come" onDrop={({ files }) => take(files)}>
        <div class="row apart">
          <p class="soft">Drop images (8 MB) or clips (40 MB) here</p>
          <button type="button" onClick={() => input.current?.click()}>
            Choose files
          </button>
        </div>
        <input
          ref={input}
          type="file"
          hidden
          multiple
          accept="image/*,video/*"
          aria-label="Files to store"
          onChange={(event) => {
            take(event.currentTarget.files ?? []);
            event.currentTarget.value = '';
          }}
        />
      </DropZone>
      {waiting.length === 0 ? null : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void store.run();
          }}
        >
          {waiting.map(({ file, label, percent, problem }) => (
            <div key={`${file.name} ${file.size}`}>
              <TextInput
                label={`What ${file.name} shows`}
                value={label}
                maxLength={200}
                hint={`${bytes(file.size)}. Words help to find it.`}
                error={problem}
                onInput={(event) => change(file, { label: event.currentTarget.value })}
              />
              {percent === undefined || problem !== undefined ? null : (
                <progress max={100} value={percent} aria-label={`Upload of ${file.name}`} />
              )}
            </div>
          ))}
          <div class="actions">
            <button type="button" disabled={store.running} onClick={() => setWaiting([])}>
              Cancel
            </button>
            <button class="primary" disabled={store.running || !isReady}>
              {store.running ? 'Storing…' : 'Store'}
            </button>
          </div>
        </form>
      )}
    </section>
  );
};

const Card = ({ reference, onGone }: { readonly reference: Reference; readonly onGone: () => void }) => {
  const [asking, setAsking] = useState(false);
  // Each reload of the list contains new signed addresses. The card keeps its first one, because the browser would load
  // the picture again for a new one.
  const [url] = useState(reference.url);
  const { id, label = 'Without a label', kind, vectorReady, createdAt } = reference;
  const remove = useAction(async () => {
    await call('delete', '/v1/agent/references/{id}', { at: { id } });
    setAsking(false);
    onGone();
  });
  return (
    <li class="card reference">
      <Medium kind={kind} url={url} alt={label} small />
      <p class="strong">{label}</p>
      <p class="hint">
        {bytes(reference.bytes)}, {ago(createdAt)}
      </p>
      <div class="row apart">
        {vectorReady === 1 ? <Badge tone="calm">{kind}</Badge> : <Badge tone="busy">being read</Badge>}
        <Allowed to="change /v1/agent">
          <button
            type="button"
            class="small quiet"
            aria-label={`Delete ${label}`}
            onClick={() => setAsking(true)}
          >
            Delete
          </button>
        </Allowed>
      </div>
      {asking ? (
        <Confirm
          title={`Delete ${label}?`}
          action="Delete it"
          running={remove.running}
          error={remove.error}
          onYes={() => void remove.run()}
          onNo={() => setAsking(false)}
        >
          <p>Calls that name it are refused from then on. What was made from it stays.</p>
        </Confirm>
      ) : null}
    </li>
  );
};

const References = () => {
  const [address, setAddress] = useAddress();
  const wanted = address.get('q') ?? '';
  const query = useSettled(wanted, wanted).trim();
  const { data, error, reload } = useLoaded(
    (signal) =>
      query === ''
        ? call('get', '/v1/agent/references', { signal })
        : call('get', '/v1/agent/references/search', { query: { q: query, limit: SEARCH_MAX }, signal }),
    [query],
  );
  useReloadAfter(['reference.ready'], reload);
  return (
    <>
      <div class="head">
        <div>
          <h1>References</h1>
          <p>Images and clips of your own. Calls use them by id, or find the ones that fit a prompt best.</p>
        </div>
      </div>
      <Allowed to="change /v1/agent">
        <Store onStored={reload} />
      </Allowed>
      <TextInput
        label="Search"
        type="search"
        value={wanted}
        maxLength={200}
        placeholder="What it shows, in words"
        onInput={(event) => setAddress({ q: event.currentTarget.value })}
      />
      <Problem error={error} />
      {data === undefined ? (
        error === undefined && <Loading />
      ) : data.refs.length === 0 ? (
        <div class="card">
          <Empty title={query === '' ? 'Your library is empty' : 'Nothing fits'}>
            <p>
              {query === '' ? 'Store an image or a clip; it stays until you delete it.' : 'Try other words.'}
            </p>
          </Empty>
        </div>
      ) : (
        <>
          <p class="hint" role="status">
            {query === ''
              ? count(data.refs.length, 'reference')
              : `${count(data.refs.length, 'reference')}, the closest first`}
          </p>
          <ul class="plain thumbs">
            {data.refs.map((reference) => (
              <Card key={reference.id} reference={reference} onGone={reload} />
            ))}
          </ul>
        </>
      )}
    </>
  );
};

show(<References />, { wide: true });
