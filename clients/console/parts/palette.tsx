import { useEffect, useId, useRef, useState } from 'preact/hooks';

import { allKeys } from './all-keys.ts';
import { call, send } from './api.ts';
import { labelsOf } from './format.ts';
import { type Section, search } from './guide-search.ts';
import { isFoundBy } from './names.ts';
import { Dialog } from './ui.tsx';
import { useLoaded } from './use.ts';

/** A target of the search. */
export interface Place {
  readonly href: string;
  readonly text: string;
  readonly kind: string;
  /** Further words by which the search finds the target. */
  readonly words?: string;
}

const HITS_MAX = 12;

interface Known {
  readonly places: readonly Place[];
  readonly sections: readonly Section[];
}

/** Loads the targets. If one part fails to load, the others can still be searched. */
const loadKnown = async (isSignedIn: boolean, signal: AbortSignal): Promise<Known> => {
  const [catalog, keys, sections] = await Promise.all([
    call('get', '/v1/agent/models', { signal }).catch(() => undefined),
    isSignedIn ? allKeys(signal).catch(() => undefined) : undefined,
    send('get', '/guides/search.json', { signal })
      .then(async (answer) => (await answer.json()) as readonly Section[])
      .catch(() => []),
  ]);
  const models = [
    ...(catalog?.models ?? []),
    ...(catalog?.textModels ?? []),
    ...(catalog?.audioModels ?? []),
  ];
  const labelOf = labelsOf(models);
  return {
    places: [
      ...models.map(({ id, name, aliases = [] }) => ({
        href: `models/${encodeURIComponent(id)}`,
        text: labelOf({ id, name }),
        kind: 'Model',
        words: [id, ...aliases].join(' '),
      })),
      ...(keys?.keys ?? []).map(({ id, name, prefix, state }) => ({
        href: `account/keys#${encodeURIComponent(id)}`,
        text: name,
        kind: state === 'active' ? 'Key' : `Key, ${state}`,
        words: `${prefix} ${id}`,
      })),
    ],
    sections,
  };
};

/** Finds targets. Those with a word that begins with the typed text come first. */
export const findPlaces = (places: readonly Place[], typed: string): readonly Place[] => {
  const [first = ''] = typed.toLowerCase().trim().split(/\s+/);
  const rank = ({ text }: Place): number => (text.toLowerCase().startsWith(first) ? 0 : 1);
  return places
    .filter(({ text, words, kind }) => isFoundBy(typed, [text, words, kind]))
    .toSorted((a, b) => rank(a) - rank(b));
};

const guideHits = (sections: readonly Section[], typed: string): readonly Place[] =>
  search(sections, typed).map(({ section: { guide, anchor, heading } }) => ({
    href: `guides/${guide}${anchor === '' ? '' : `#${anchor}`}`,
    text: heading,
    kind: 'Guide',
  }));

/** A search over pages, models, keys and guides, for the keyboard and the mouse. */
const Palette = ({
  pages,
  isSignedIn,
  onClose,
}: {
  readonly pages: readonly Place[];
  readonly isSignedIn: boolean;
  readonly onClose: () => void;
}) => {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const { data } = useLoaded((signal) => loadKnown(isSignedIn, signal), []);
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const places = findPlaces([...pages, ...(data?.places ?? [])], typed);
  const hits = (typed.trim() === '' ? pages : [...places, ...guideHits(data?.sections ?? [], typed)]).slice(
    0,
    HITS_MAX,
  );
  const current = Math.min(at, hits.length - 1);
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const go = ({ href }: Place): void => {
    location.assign(href);
    onClose();
  };
  const step = (by: number): void => setAt((current + by + hits.length) % Math.max(1, hits.length));
  return (
    <Dialog title="Search" onClose={onClose}>
      <input
        type="search"
        role="combobox"
        aria-label="Pages, models, keys and guides"
        aria-expanded={hits.length > 0}
        aria-controls={`${id}-hits`}
        aria-activedescendant={hits.length === 0 ? undefined : `${id}-${current}`}
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck={false}
        placeholder="Pages, models, keys and guides"
        value={typed}
        onInput={({ currentTarget: { value } }) => {
          setTyped(value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            step(event.key === 'ArrowDown' ? 1 : -1);
          }
          // By default, Escape would only empty the input.
          if (event.key === 'Escape') {
            event.preventDefault();
            onClose();
          }
          const chosen = hits[current];
          if (event.key === 'Enter' && !event.isComposing && chosen !== undefined) {
            event.preventDefault();
            go(chosen);
          }
        }}
      />
      <ul class="plain palette" role="listbox" aria-label="Found" id={`${id}-hits`} ref={list}>
        {hits.map((hit, place) => (
          <li
            key={`${hit.kind} ${hit.href}`}
            id={`${id}-${place}`}
            role="option"
            aria-selected={place === current}
            // A browser also reports a move of a still mouse when the content below it changes.
            onMouseMove={({ movementX, movementY }) => {
              if (movementX !== 0 || movementY !== 0) setAt(place);
            }}
            onClick={() => go(hit)}
          >
            <span>{hit.text}</span> <span class="soft fine">{hit.kind}</span>
          </li>
        ))}
      </ul>
      <p class="hint" role="status">
        {hits.length === 0 ? 'Nothing was found.' : 'Arrows choose, Enter opens, Escape closes.'}
      </p>
    </Dialog>
  );
};

export default Palette;
