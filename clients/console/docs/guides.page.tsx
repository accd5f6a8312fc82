import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { type Section, search } from '../parts/guide-search.ts';
import { show } from '../parts/shell.tsx';
import { CopyButton } from '../parts/ui.tsx';

const addressOf = ({ guide, anchor }: Section): string => `guides/${guide}${anchor && `#${anchor}`}`;

/** Searches all guides. The index is loaded when the person starts to type. */
const Finder = () => {
  const [typed, setTyped] = useState('');
  const [sections, setSections] = useState<readonly Section[]>();
  const [isAway, setIsAway] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const titles = new Map(
    sections?.filter(({ anchor }) => anchor === '').map((one) => [one.guide, one.heading]),
  );
  const hits = search(sections ?? [], typed);

  const load = async (): Promise<void> => {
    if (sections !== undefined) return;
    try {
      const answer = await fetch('guides/search.json');
      setSections((await answer.json()) as Section[]);
      setIsAway(false);
    } catch {
      setIsAway(true);
    }
  };

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      box.current?.querySelector('input')?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  /** The arrow keys move between the input and the results; Escape returns to the input and clears it. */
  const walk = (event: KeyboardEvent): void => {
    const stops = [...(box.current?.querySelectorAll<HTMLElement>('input, a') ?? [])];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Escape: 0 }[event.key];
    if (event.key === 'Enter' && at === 0 && hits.length > 0) stops[1]?.click();
    if (to === undefined) return;
    event.preventDefault();
    if (event.key === 'Escape') setTyped('');
    stops[Math.max(0, Math.min(to, stops.length - 1))]?.focus();
  };

  const message = (): string => {
    if (isAway) return 'The search is not available. Use the list instead.';
    if (typed.trim() === '' || sections === undefined) return '';
    return hits.length === 0 ? 'Nothing was found. Try fewer words.' : `${hits.length} found`;
  };

  return (
    <div class="find" role="search" ref={box} onKeyDown={walk}>
      <label for="find">Search the guides</label>
      <input
        id="find"
        type="search"
        autocomplete="off"
        placeholder="A word or a code"
        value={typed}
        onFocus={() => void load()}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          void load();
        }}
      />
      <p class="hint" role="status">
        {message()}
      </p>
      {hits.length === 0 ? null : (
        <ul class="hits">
          {hits.map(({ section, excerpt }) => (
            <li key={addressOf(section)}>
              <a href={addressOf(section)} onClick={() => setTyped('')}>
                <span class="strong">{section.heading}</span>
                {section.anchor === '' ? null : <span class="soft"> in {titles.get(section.guide)}</span>}
                <span class="hint">{excerpt}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

const LANGUAGES: Readonly<Record<string, string>> = { sh: 'Shell', ts: 'TypeScript', python: 'Python' };
const CHOICE = 'language';
const CHOSEN = 'languagechosen';

/** One example in several languages. The choice applies to all examples of all guides. */
const LanguageTabs = ({ blocks }: { readonly blocks: readonly HTMLElement[] }) => {
  const languages = blocks.map(({ dataset }) => dataset['language'] ?? '');
  const [chosen, setChosen] = useState(localStorage.getItem(CHOICE) ?? '');
  const shown = languages.includes(chosen) ? chosen : languages[0];
  useEffect(() => {
    const follow = (): void => setChosen(localStorage.getItem(CHOICE) ?? '');
    document.addEventListener(CHOSEN, follow);
    return () => document.removeEventListener(CHOSEN, follow);
  }, []);
  useEffect(() => {
    for (const block of blocks) block.hidden = block.dataset['language'] !== shown;
  }, [shown]);
  const choose = (language: string): void => {
    localStorage.setItem(CHOICE, language);
    document.dispatchEvent(new Event(CHOSEN));
  };
  return (
    <div class="tabs" role="group" aria-label="Language of the code">
      {languages.map((language) => (
        <button
          key={language}
          type="button"
          aria-pressed={language === shown}
          onClick={() => choose(language)}
        >
          {LANGUAGES[language]}
        </button>
      ))}
    </div>
  );
};

interface Part {
  readonly heading: HTMLElement;
  readonly all: readonly HTMLElement[];
}

/** The sections after a mark, up to the next heading above them. */
const partsAfter = (mark: Element): readonly Part[] => {
  const parts: { heading: HTMLElement; all: HTMLElement[] }[] = [];
  for (let at = mark.nextElementSibling; at !== null && at.tagName !== 'H2'; at = at.nextElementSibling) {
    if (!(at instanceof HTMLElement)) continue;
    if (at.tagName === 'H3') parts.push({ heading: at, all: [at] });
    else parts.at(-1)?.all.push(at);
  }
  return parts;
};

const anchorHere = (): string => decodeURIComponent(location.hash.slice(1));

/** Shows one of the sections, and follows the anchor in the address. */
const SectionTabs = ({ parts }: { readonly parts: readonly Part[] }) => {
  const [anchor, setAnchor] = useState(anchorHere);
  const shown = parts.find(({ heading }) => heading.id === anchor) ?? parts[0];
  useEffect(() => {
    const follow = (): void =>
      setAnchor((before) =>
        parts.some(({ heading }) => heading.id === anchorHere()) ? anchorHere() : before,
      );
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => {
    for (const part of parts) for (const one of part.all) one.hidden = part !== shown;
    // The browser could not scroll to a section that was hidden.
    if (shown?.heading.id === anchorHere()) shown.heading.scrollIntoView();
  }, [shown]);
  const choose = ({ heading }: Part): void => {
    history.replaceState(null, '', `${location.pathname}#${heading.id}`);
    setAnchor(heading.id);
  };
  return (
    <div class="tabs" role="group" aria-label="Sections">
      {parts.map((part) => (
        <button
          key={part.heading.id}
          type="button"
          aria-pressed={part === shown}
          onClick={() => choose(part)}
        >
          {part.heading.firstChild?.textContent?.trim()}
        </button>
      ))}
    </div>
  );
};

/** Adjacent blocks of code, each in another language. */
const examplesIn = (root: HTMLElement): HTMLElement[][] => {
  const examples: HTMLElement[][] = [];
  for (const block of root.querySelectorAll<HTMLElement>('.code')) {
    if (LANGUAGES[block.dataset['language'] ?? ''] === undefined) continue;
    const last = examples.at(-1);
    const isNext = last !== undefined && block.previousElementSibling === last.at(-1);
    const isOther = last?.every(({ dataset }) => dataset['language'] !== block.dataset['language']);
    if (isNext && isOther === true) last.push(block);
    else examples.push([block]);
  }
  return examples.filter(({ length }) => length > 1);
};

// The HTML of the page already contains the text. This code adds the frame of all pages, a search, copy buttons and
// language tabs.
const content = document.getElementById('content')!;
content.remove();
const Content = () => <div class="stack" ref={(at) => at?.replaceChildren(content)} />;
show(<Content />, { wide: true });

const finder = content.querySelector('.finder');
if (finder !== null) render(<Finder />, finder);
for (const place of content.querySelectorAll('.code .copy')) {
  const code = place.parentElement?.querySelector('code')?.textContent ?? '';
  render(<CopyButton text={code} what="this code" />, place);
}
for (const blocks of examplesIn(content)) {
  const tabs = document.createElement('div');
  blocks[0]?.before(tabs);
  render(<LanguageTabs blocks={blocks} />, tabs);
}
for (const mark of content.querySelectorAll('.sections'))
  render(<SectionTabs parts={partsAfter(mark)} />, mark);
if (location.hash !== '') document.getElementById(anchorHere())?.scrollIntoView();
