import type { RouteScope } from '#people/keys/key-scopes';

interface Scope {
  /** The routes of the app's key. */
  readonly routes: readonly RouteScope[];
  /** The text on the page of consent. */
  readonly words: string;
}

/** The scopes that an app may ask for. */
export const SCOPES: Readonly<Record<string, Scope>> = {
  generate: {
    routes: ['chat', 'image', 'video', 'audio', 'read', 'cancel'],
    words: 'Make images, videos, audio and texts, and see and cancel what it makes.',
  },
  references: { routes: ['references'], words: 'See, add and delete your reference images and videos.' },
  read: { routes: ['read'], words: 'See models, prices, what it may still spend, and its own jobs.' },
  keys: { routes: ['keys'], words: 'Make keys for other programs, which spend its money.' },
};

/** The scope of an app that asks for none. */
const DEFAULT_SCOPE = 'generate';

/** Hosts ask for everything that our metadata list. So an app gets `keys` only if it names it itself. */
export const OFFERED_SCOPES: readonly string[] = Object.keys(SCOPES).filter((name) => name !== 'keys');

/** The scopes that exist among the asked ones, or the default. */
export const scopeOf = (requested: string | null | undefined): string => {
  const known = (requested ?? '').split(' ').filter((name) => Object.hasOwn(SCOPES, name));
  return known.length === 0 ? DEFAULT_SCOPE : [...new Set(known)].join(' ');
};

export const routesOf = (scope: string): readonly RouteScope[] => [
  ...new Set(scope.split(' ').flatMap((name) => SCOPES[name]?.routes ?? [])),
];
