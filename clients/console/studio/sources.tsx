import { useRef, useState } from 'preact/hooks';

import { type Schemas, call } from '../parts/api.ts';
import { bytes } from '../parts/format.ts';
import { DropZone } from '../parts/drop.tsx';
import { type InputName, CAPS, inputsOf, problemOf, readDataUri } from './inputs.ts';
import { Medium } from './medium.tsx';
import { Dialog, Empty, Loading, Problem } from '../parts/ui.tsx';
import { useLoaded } from '../parts/use.ts';

export type Reference = Schemas['ReferenceAnswer'];

/** An input of a call: a file of this device, or a reference of the library. */
export type Source =
  | {
      readonly from: 'file';
      readonly dataUri: string;
      readonly name: string;
      readonly kind: 'image' | 'video';
    }
  | { readonly from: 'library'; readonly reference: Reference };

export type Sources = Readonly<Partial<Record<InputName, Source>>>;

const LABELS: Readonly<Record<InputName, string>> = {
  image: 'Source image',
  image2: 'Face or subject',
  video: 'Source clip',
};

const DRAGGED = 'application/x-lamppost-reference';

const kindOf = (name: InputName): 'image' | 'video' => (name === 'video' ? 'video' : 'image');

/**
 * The inputs of the call. Each file has its own field. The references are a list, because the service puts them into
 * the empty fields in this order.
 */
export const bodyOf = (mode: string, sources: Sources) => {
  const names = inputsOf(mode);
  const files = names.flatMap((name) => {
    const source = sources[name];
    return source?.from === 'file' ? [[name, source.dataUri] as const] : [];
  });
  const ids = names.flatMap((name) => {
    const source = sources[name];
    return source?.from === 'library' ? [source.reference.id] : [];
  });
  return { ...Object.fromEntries(files), referenceIds: ids.length === 0 ? undefined : ids };
};

const useLibrary = () => useLoaded((signal) => call('get', '/v1/agent/references', { signal }), []);

const Picker = ({
  kind,
  onPick,
  onClose,
}: {
  readonly kind: 'image' | 'video';
  readonly onPick: (reference: Reference) => void;
  readonly onClose: () => void;
}) => {
  const { data, error } = useLibrary();
  const refs = data?.refs.filter((reference) => reference.kind === kind);
  return (
    <Dialog title="Your references" onClose={onClose}>
      <Problem error={error} />
      {refs === undefined && error === undefined ? <Loading /> : null}
      {refs?.length === 0 ? (
        <Empty title={`No ${kind}s in your library`}>
          <p>
            <a href="references">Store one</a> to use it again and again.
          </p>
        </Empty>
      ) : null}
      <ul class="plain thumbs">
        {refs?.map((reference) => (
          <li key={reference.id}>
            <button type="button" class="thumb" onClick={() => onPick(reference)}>
              <Medium kind={kind} url={reference.url} alt={reference.label ?? 'Without a label'} small />
              <span>{reference.label ?? 'Without a label'}</span>
            </button>
          </li>
        ))}
      </ul>
      <div class="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
};

const Preview = ({ source }: { readonly source: Source }) =>
  source.from === 'file' ? (
    <Medium kind={source.kind} url={source.dataUri} alt={source.name} small />
  ) : (
    <Medium
      kind={source.reference.kind}
      url={source.reference.url}
      alt={source.reference.label ?? 'A reference'}
      small
    />
  );

/** One input: the person drops a file, chooses a file, or takes a reference of the library. */
export const SourceField = ({
  name,
  source,
  onChange,
}: {
  readonly name: InputName;
  readonly source: Source | undefined;
  readonly onChange: (source: Source | undefined) => void;
}) => {
  const kind = kindOf(name);
  const label = LABELS[name];
  const input = useRef<HTMLInputElement>(null);
  const [picking, setPicking] = useState(false);
  const [problem, setProblem] = useState<Error>();
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const wrong = problemOf(file, kind);
    setProblem(wrong === undefined ? undefined : new Error(wrong));
    if (wrong !== undefined) return;
    onChange({ from: 'file', dataUri: await readDataUri(file), name: file.name, kind });
  };
  const drop = (transfer: DataTransfer): void => {
    const text = transfer.getData(DRAGGED);
    if (text === '') {
      void take(transfer.files[0]);
      return;
    }
    const reference = JSON.parse(text) as Reference;
    const fits = reference.kind === kind;
    setProblem(fits ? undefined : new Error(`This place takes a${kind === 'image' ? 'n' : ''} ${kind}.`));
    if (fits) onChange({ from: 'library', reference });
  };
  return (
    <DropZone label={label} onDrop={drop}>
      <p class="strong">{label}</p>
      {source === undefined ? (
        <p class="hint">
          Drop {kind === 'image' ? 'an image' : 'a clip'} here, at most {bytes(CAPS[kind])}
        </p>
      ) : (
        <Preview source={source} />
      )}
      <div class="row">
        <button type="button" class="small" onClick={() => input.current?.click()}>
          Choose a file
        </button>
        <button type="button" class="small" onClick={() => setPicking(true)}>
          From references
        </button>
        {source === undefined ? null : (
          <button type="button" class="small quiet" onClick={() => onChange(undefined)}>
            Remove
          </button>
        )}
      </div>
      <input
        ref={input}
        type="file"
        hidden
        accept={`${kind}/*`}
        aria-label={`${label}: file`}
        onChange={(event) => {
          void take(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
      <Problem error={problem} />
      {picking ? (
        <Picker
          kind={kind}
          onClose={() => setPicking(false)}
          onPick={(reference) => {
            setPicking(false);
            setProblem(undefined);
            onChange({ from: 'library', reference });
          }}
        />
      ) : null}
    </DropZone>
  );
};

/** The library as draggable items, with a button for each input as the alternative. */
export const Shelf = () => {
  const { data } = useLibrary();
  if (data === undefined || data.refs.length === 0) return null;
  return (
    <div class="stack">
      <p class="hint">Your references; drag one to a place above.</p>
      <ul class="plain shelf" aria-hidden="true">
        {data.refs.slice(0, 30).map((reference) => (
          <li
            key={reference.id}
            draggable
            title={reference.label ?? ''}
            onDragStart={(event) => event.dataTransfer?.setData(DRAGGED, JSON.stringify(reference))}
          >
            <Medium kind={reference.kind} url={reference.url} alt="" small />
          </li>
        ))}
      </ul>
    </div>
  );
};
