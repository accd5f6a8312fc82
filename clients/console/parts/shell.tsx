import { type ComponentChildren, render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { askAccount, askAccountAgain } from './allowed.tsx';
import { call, signOut } from './api.ts';
import { cents } from './format.ts';
import { MONEY_MOVES, useReloadAfter } from './live-events.ts';
import { actFor, actingFor } from './organisation.ts';
import type Palette from './palette.tsx';
import { useAction, useLoaded } from './use.ts';

const root = document.documentElement;

/** The data that the service has put into the page. */
export const facts = {
  publicUrl: root.dataset['publicUrl'] ?? '',
  sandbox: new Set((root.dataset['sandbox'] ?? '').split(' ').filter((part) => part !== '')),
  takesCards: root.dataset['takesCards'] === 'true',
  signedIn: root.dataset['signedIn'] === 'true',
};

/**
 * The links of the header. A signed-in person has more of them, so for them the docs are linked at the foot of each
 * page.
 */
const LINKS = facts.signedIn
  ? [
      { href: 'models', text: 'Models' },
      { href: 'studio', text: 'Studio' },
      { href: 'references', text: 'References' },
      { href: 'account/keys', text: 'Keys' },
      { href: 'account/activity', text: 'Activity' },
      { href: 'account/billing', text: 'Billing' },
      { href: 'account/webhooks', text: 'Webhooks' },
      { href: 'account/organisation', text: 'Team' },
      { href: 'guides', text: 'Guides' },
    ]
  : [
      { href: 'models', text: 'Models' },
      { href: 'studio', text: 'Studio' },
      { href: 'playground', text: 'Playground' },
      { href: 'account/keys', text: 'Keys' },
      { href: 'guides', text: 'Guides' },
      { href: 'docs', text: 'Docs' },
      { href: 'status', text: 'Status' },
    ];

const here = (): string => location.href.slice(document.baseURI.length).replace(/[?#].*$/, '');

/** Pages that are tabs of a page in the header. */
const BELOW: Readonly<Record<string, string>> = {
  'account/connections': 'account/keys',
  'account/requests': 'account/activity',
  ...(facts.signedIn ? { playground: 'studio' } : {}),
};

const isHere = (href: string): boolean =>
  here() === href || here().startsWith(`${href}/`) || BELOW[here()] === href;

/** On a page of sign-in, the other one leads to the same next page. */
const nextHere = (): string =>
  here().startsWith('account/sign-') ? `${location.search}${location.hash}` : '';

/** Pages that the header does not list. */
const MORE_PAGES = [
  { href: '.', text: 'Start page' },
  { href: 'playground', text: 'Playground' },
  { href: 'docs', text: 'API docs' },
  { href: 'status', text: 'Status' },
  { href: 'provenance', text: 'Is a file from here?' },
  ...(facts.signedIn
    ? [
        { href: 'account', text: 'Account' },
        { href: 'account/connections', text: 'Connections' },
        { href: 'account/requests', text: 'Requests' },
        { href: 'studio/image', text: 'Studio: images' },
        { href: 'studio/video', text: 'Studio: videos' },
        { href: 'account/organisation/audit', text: 'Audit' },
      ]
    : []),
];

const NEXT = { auto: 'light', light: 'dark', dark: 'auto' } as const;
type Theme = keyof typeof NEXT;
const THEME_NAMES: Readonly<Record<Theme, string>> = { auto: 'as the system', light: 'light', dark: 'dark' };

const readTheme = (): Theme => {
  const { theme } = root.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'auto';
};

const ThemeToggle = () => {
  const [theme, setTheme] = useState(readTheme);
  const turn = (): void => {
    const next = NEXT[theme];
    if (next === 'auto') {
      delete root.dataset['theme'];
      localStorage.removeItem('theme');
    } else {
      root.dataset['theme'] = next;
      localStorage.setItem('theme', next);
    }
    setTheme(next);
  };
  return (
    <button type="button" class="quiet theme" onClick={turn} aria-label={`Theme: ${THEME_NAMES[theme]}`}>
      <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
        <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.6" />
        {theme === 'auto' ? <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" /> : null}
        {theme === 'light' ? <circle cx="10" cy="10" r="3" fill="currentColor" /> : null}
        {theme === 'dark' ? <circle cx="10" cy="10" r="7" fill="currentColor" /> : null}
      </svg>
    </button>
  );
};

/** Reloads the funds in the header. Pages call it after they spend money. */
let reloadBalance: () => void = () => undefined;
export const balanceChanged = (): void => reloadBalance();

/**
 * Switches to another organisation and loads the page again, because the shown data belong to the previous
 * organisation.
 */
export const switchTo = (id: string | undefined, page = here()): void => {
  actFor(id);
  location.assign(page === here() ? location.href : page);
};

/** The choice of the organisation, if there is more than one. */
const Switcher = ({ own }: { readonly own: string }) => {
  const { data } = useLoaded((signal) => call('get', '/v1/account/organisations', { signal }), []);
  if (data === undefined || data.organisations.length < 2) return null;
  return (
    <select
      class="switcher"
      aria-label="Act for"
      value={actingFor ?? own}
      onChange={({ currentTarget: { value } }) => switchTo(value === own ? undefined : value)}
    >
      {data.organisations.map(({ id, name, personal, closed }) => (
        <option key={id} value={id} disabled={closed}>
          {personal ? 'Yourself' : name}
        </option>
      ))}
    </select>
  );
};

const Account = () => {
  const isFirst = useRef(true);
  const { data, reload } = useLoaded(() => {
    const ask = isFirst.current ? askAccount : askAccountAgain;
    isFirst.current = false;
    return ask();
  }, []);
  reloadBalance = reload;
  useReloadAfter(MONEY_MOVES, reload);
  const leave = useAction(async () => {
    await signOut();
    location.assign('.');
  });
  return (
    <>
      {data === undefined ? null : <Switcher own={data.id} />}
      <a class="balance" href="account/billing">
        <span class="unseen">Balance </span>
        {data === undefined ? '…' : cents(data.balanceMicro)}
      </a>
      <a class="who" href="account" aria-current={here() === 'account' ? 'page' : undefined}>
        Account
      </a>
      <button type="button" class="quiet leave" onClick={() => void leave.run()}>
        Sign out
      </button>
    </>
  );
};

/** The search is loaded when the person opens it, so it slows no page down. */
const Finder = () => {
  const [Found, setFound] = useState<typeof Palette>();
  const open = (): void => {
    void import('./palette.tsx').then(({ default: palette }) => setFound(() => palette));
  };
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const pages = [...LINKS, ...MORE_PAGES.filter(({ href }) => !LINKS.some((link) => link.href === href))];
  return (
    <>
      <button
        type="button"
        class="quiet theme find"
        aria-label="Search"
        aria-keyshortcuts="Control+K Meta+K"
        title="Search (Ctrl+K)"
        onClick={open}
      >
        <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
          <circle cx="8.5" cy="8.5" r="5.5" fill="none" stroke="currentColor" stroke-width="1.6" />
          <path d="m13 13 4 4" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" />
        </svg>
      </button>
      {Found === undefined ? null : (
        <Found
          pages={pages.map((page) => ({ ...page, kind: 'Page' }))}
          isSignedIn={facts.signedIn}
          onClose={() => setFound(undefined)}
        />
      )}
    </>
  );
};

/** Payments on chain may be real while the cards are simulated, and the reverse. */
const moneyNote = (): readonly string[] => {
  const [isTestChain, isTestCard] = [facts.sandbox.has('x402'), facts.sandbox.has('cards')];
  if (isTestChain)
    return [
      isTestCard || !facts.takesCards ? 'no real money; use test wallets only' : 'use test wallets only',
    ];
  return isTestCard ? ['no card is charged'] : [];
};

const sandboxNote = (): string => {
  const parts = [...(facts.sandbox.has('models') ? ['no real models'] : []), ...moneyNote()];
  return `${facts.sandbox.has('models') ? 'Sandbox' : 'Real models, test payments'}: ${parts.join(', ')}.`;
};

/** In a narrow window, a button shows and hides the links. */
const Header = () => {
  const [isOpen, setOpen] = useState(false);
  return (
    <header class="top" onKeyDown={({ key }) => key === 'Escape' && setOpen(false)}>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault(); // The base of the page would turn `#main` into another address.
          document.getElementById('main')?.focus();
        }}
      >
        Skip to the content
      </a>
      <div class={`bar${facts.signedIn ? ' signed-in' : ''}${isOpen ? ' open' : ''}`}>
        <a class="brand" href="." aria-label="Lamppost">
          <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
            <path class="glow" d="M12 7 4 21h16z" />
            <path class="lamp" d="M9 3h6l1.5 5h-9z" />
            <path class="post" d="M11.2 8h1.6v13h-1.6z" />
          </svg>
          <span>Lamppost</span>
        </a>
        <button
          type="button"
          class="quiet menu"
          aria-expanded={isOpen}
          aria-controls="pages"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
        <nav id="pages" aria-label="Pages">
          <ul>
            {LINKS.map(({ href, text }) => (
              <li key={href}>
                <a href={href} aria-current={isHere(href) ? 'page' : undefined}>
                  {text}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="session">
          {facts.signedIn ? (
            <Account />
          ) : (
            <>
              <a href={`account/sign-in${nextHere()}`}>Sign in</a>
              <a class="button primary" href={`account/sign-up${nextHere()}`}>
                Sign up
              </a>
            </>
          )}
          <Finder />
          <ThemeToggle />
        </div>
      </div>
      {facts.sandbox.size === 0 ? null : <p class="sandbox">{sandboxNote()}</p>}
    </header>
  );
};

const Footer = () => (
  <footer>
    <p>
      <a href="guides">Guides</a> · <a href="docs">API docs</a> ·{' '}
      <a href="v1/agent/guide.md">One page for agents</a> · <a href="openapi.json">OpenAPI</a> ·{' '}
      <a href="llms.txt">llms.txt</a> · <a href="status">Status</a> ·{' '}
      <a href="provenance">Is a file from here?</a>
    </p>
  </footer>
);

const Page = ({ children, wide }: { readonly children: ComponentChildren; readonly wide: boolean }) => (
  <>
    <Header />
    <main id="main" tabIndex={-1} class={wide ? 'page wide' : 'page'}>
      {children}
    </main>
    <Footer />
  </>
);

/** Renders a page in its frame. */
export const show = (page: ComponentChildren, { wide = false } = {}): void =>
  render(<Page wide={wide}>{page}</Page>, document.body);
