import { createHash } from 'node:crypto';

import { escapeHtml } from '#platform/http/answers/escape-html';
import type { ClientFiles } from './client-files';
import type { Page } from './pages';

/** Sets the theme before the first paint. Without it, the page would first appear in the other theme. */
const THEME = `try{const t=localStorage.getItem('theme');if(t)document.documentElement.dataset.theme=t}catch{}`;

const hashOf = (script: string): string => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

/** The policy allows only our own files and these inline scripts. So even a faulty page can't run text as a script. */
const policyFor = (inline: readonly string[]): string =>
  [
    `default-src 'none'`,
    `script-src 'self' ${inline.map(hashOf).join(' ')}`,
    `style-src 'self'`,
    `img-src 'self' data: blob:`,
    `media-src 'self' data: blob:`,
    `connect-src 'self'`,
    `form-action 'self'`,
    `base-uri 'self'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
  ].join('; ');

const withoutScript = ({ title, about }: Page): string => `<noscript>
<main class="page">
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(about)}</p>
<p>These pages need JavaScript. The API does not:
<a href="docs">docs</a>, <a href="guides">guides</a>, <a href="v1/agent/guide.md">guide</a>, <a href="openapi.json">OpenAPI</a>,
<a href="v1/agent/models">models</a>.</p>
</main>
</noscript>`;

/** Content for readers without scripts. The page's script replaces it. */
const withContent = (content: string): string => `<header class="top"><div class="bar">
<a class="brand" href=".">Lamppost</a>
</div></header>
<main class="page wide"><div id="content">
${content}
</div></main>`;

export interface PageFacts {
  readonly publicUrl: string;
  /** The parts that are simulated: `models`, `x402`, `cards`. */
  readonly sandbox: readonly string[];
  /** Whether people can pay by card. */
  readonly takesCards: boolean;
  readonly signedIn: boolean;
}

export interface PageHtml {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The HTML of a page: its title, its files, and text for readers without scripts. All addresses in the HTML are
 * relative to the base, because the service's own address may have a path.
 */
export const htmlOf = (
  page: Page,
  files: ClientFiles,
  { publicUrl, sandbox, takesCards, signedIn }: PageFacts,
  content?: string,
): PageHtml => {
  const entry = `${page.module}.page.js`;
  const { importMap } = files;
  const title = page.path === '/' ? page.title : `${page.title} · Lamppost`;
  const html = `<!doctype html>
<html lang="en" data-public-url="${escapeHtml(publicUrl)}" data-sandbox="${sandbox.join(' ')}" data-takes-cards="${takesCards}" data-signed-in="${signedIn}">
<head>
<meta charset="utf-8">
<base href="${escapeHtml(new URL(`${publicUrl}/`).pathname)}">
<title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(page.about)}">
<script>${THEME}</script>
<script type="importmap">${importMap}</script>
<link rel="stylesheet" href="${files.addressOf('style.css')}">
<link rel="icon" href="favicon.svg" type="image/svg+xml">
${files
  .graphOf(entry)
  .map((name) => `<link rel="modulepreload" href="${files.addressOf(name)}">`)
  .join('\n')}
<script type="module" src="${files.addressOf(entry)}"></script>
</head>
<body>
${content === undefined ? withoutScript(page) : withContent(content)}
</body>
</html>
`;
  return {
    html,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-cache',
      'content-security-policy': policyFor([THEME, importMap]),
      'cross-origin-opener-policy': 'same-origin',
      // Our forms, such as the checkout, check the origin, and `no-referrer` would hide the origin.
      'referrer-policy': 'same-origin',
    },
  };
};
