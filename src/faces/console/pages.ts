import { GUIDES } from '#faces/discovery/guides';

/** A page for people. A file `*.page.tsx` in `clients/console` shows its content. */
export interface Page {
  readonly path: string;
  /** Such as `keys/connections`, for `clients/console/keys/connections.page.tsx`. */
  readonly module: string;
  readonly title: string;
  /** Text for search results, and for readers without scripts. */
  readonly about: string;
  /** True if visitors must sign in first. */
  readonly isPrivate?: boolean;
}

const LANDING: Page = {
  path: '/',
  module: 'start/landing',
  title: 'Lamppost: generation by the call',
  about:
    'Images, videos, audio and text for scripts and agents, paid call by call: with x402, from a prepaid wallet, or with an API key.',
};

export const ADMIN: Page = {
  path: '/admin',
  module: 'admin/admin',
  title: 'Operators',
  about: 'Accounts, charges, books, jobs and queues. It needs the admin token.',
};

export const PAGES: readonly Page[] = [
  LANDING,
  {
    path: '/account/sign-up',
    module: 'account/sign-up',
    title: 'Make an account',
    about: 'An account holds credits and keys.',
  },
  {
    path: '/account/sign-in',
    module: 'account/sign-in',
    title: 'Sign in',
    about: 'Sign in to your account.',
  },
  {
    path: '/account/forgot',
    module: 'account/forgot',
    title: 'Forgotten password',
    about: 'Ask for a mail with a link that sets a new password.',
  },
  {
    path: '/account/reset',
    module: 'account/reset',
    title: 'Set a new password',
    about: 'Opened by a link of a mail or of an operator.',
  },
  {
    path: '/account',
    isPrivate: true,
    module: 'account/account',
    title: 'Account',
    about: 'Your password, authenticator app, passkeys and sessions.',
  },
  {
    path: '/account/keys',
    isPrivate: true,
    module: 'keys/keys',
    title: 'Keys',
    about: 'API keys with their limits and their spending.',
  },
  {
    path: '/account/connections',
    isPrivate: true,
    module: 'keys/connections',
    title: 'Connections',
    about: 'The apps that you have connected, and what each has spent.',
  },
  {
    path: '/account/billing',
    isPrivate: true,
    module: 'billing/billing',
    title: 'Billing',
    about: 'Balance, top-ups, invoices, transactions and usage.',
  },
  {
    path: '/account/billing/invoice',
    isPrivate: true,
    module: 'billing/invoice',
    title: 'Invoice',
    about: 'The document of a top-up, for printing.',
  },
  {
    path: '/account/activity',
    isPrivate: true,
    module: 'activity/activity',
    title: 'Activity',
    about: 'Spend, calls and tokens over time, by model, key and member.',
  },
  {
    path: '/account/requests',
    isPrivate: true,
    module: 'activity/requests',
    title: 'Requests',
    about: 'Every paid call, with its status, its error and its cost.',
  },
  {
    path: '/account/webhooks',
    isPrivate: true,
    module: 'webhooks/webhooks',
    title: 'Webhooks',
    about: 'The endpoints that receive your events, and their deliveries.',
  },
  {
    path: '/account/organisation',
    isPrivate: true,
    module: 'organisation/organisation',
    title: 'Organisation',
    about: 'The members that share a balance, their roles, and open invites.',
  },
  {
    path: '/account/organisation/audit',
    isPrivate: true,
    module: 'organisation/audit',
    title: 'Audit',
    about: 'The audit of an organisation: each action with its member, address and time.',
  },
  {
    path: '/account/invites/:token',
    module: 'organisation/invite',
    title: 'An invite',
    about: 'Join the organisation that invites you.',
  },
  {
    path: '/studio',
    isPrivate: true,
    module: 'studio/chat',
    title: 'Chat',
    about: 'Talk to every text model; the price is shown before and after.',
  },
  {
    path: '/studio/image',
    isPrivate: true,
    module: 'studio/image',
    title: 'Images',
    about: 'Make images; the button shows the exact price.',
  },
  {
    path: '/studio/video',
    isPrivate: true,
    module: 'studio/video',
    title: 'Videos',
    about: 'Make videos; the button shows the exact price.',
  },
  {
    path: '/playground',
    module: 'studio/playground',
    title: 'Playground',
    about: 'A call as a form, as JSON and as code, with its price; several models side by side.',
  },
  {
    path: '/references',
    isPrivate: true,
    module: 'studio/references',
    title: 'References',
    about: 'Images and videos of your own, for later calls.',
  },
  {
    path: '/models',
    module: 'models/models',
    title: 'Models',
    about: 'Every model with its price, its success and its speed; two to four of them side by side.',
  },
  {
    path: '/models/:id',
    module: 'models/model',
    title: 'A model',
    about: 'Its parameters, the exact price of a call, its last 30 days, and code that calls it.',
  },
  {
    path: '/status',
    module: 'models/status',
    title: 'Status',
    about: 'The state of each part, and the success and speed of each model.',
  },
  {
    path: '/provenance',
    module: 'provenance/provenance',
    title: 'Is a file from here?',
    about: 'Drop an image or a video to see whether a model made it here. Only its hash is sent.',
  },
  {
    path: '/docs',
    module: 'docs/docs',
    title: 'API docs',
    about: 'Every route with its fields, answers and an example.',
  },
  ADMIN,
];

/** The answer to a browser that opens an address without a page. */
export const NOT_FOUND: Page = {
  path: '/not-found',
  module: 'start/not-found',
  title: 'Page not found',
  about: 'There is no page at this address.',
};

export const GUIDE_INDEX: Page = {
  path: '/guides',
  module: 'docs/guides',
  title: 'Guides',
  about: 'One task per guide, with code that runs.',
};

/** One page for each file of `docs/guides`. Its HTML contains the text, so readers need no scripts. */
export const GUIDE_PAGES: readonly Page[] = GUIDES.map(({ name, title, about }) => ({
  path: `/guides/${name}`,
  module: 'docs/guides',
  title,
  about,
}));
