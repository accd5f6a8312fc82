import { createHash } from 'node:crypto';

import { escapeHtml } from '#platform/http/answers/escape-html';

const STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1c1c1c; background: #f6f4ef; margin: 0; overflow-wrap: anywhere; }
main { max-width: 30rem; margin: 6vh auto; padding: 2rem; background: #fff; border: 1px solid #ddd; border-radius: 12px; }
h1 { font-size: 1.3rem; margin: 0 0 1rem; }
a { color: inherit; }
label { display: block; margin: 1rem 0 .25rem; }
input, select { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; border: 1px solid #767676; border-radius: 8px; background: inherit; color: inherit; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; align-items: end; }
.soft { color: #5c5c5c; }
.warning { border-left: 4px solid #b8860b; padding-left: .75rem; }
.problem { border-left: 4px solid #b3261e; padding-left: .75rem; }
button { font: inherit; width: 100%; padding: .75rem; margin-top: 1rem; border: 1px solid #1c1c1c; border-radius: 8px; background: #1c1c1c; color: #fff; cursor: pointer; }
button.second { background: #fff; color: #1c1c1c; }
button:focus-visible, a:focus-visible, input:focus-visible, select:focus-visible { outline: 3px solid #b8860b; outline-offset: 2px; }
@media (max-width: 32rem) { main { margin: 0; padding: 1.25rem; border: 0; border-radius: 0; } }
@media (prefers-color-scheme: dark) {
  body { background: #151515; color: #eee; } main { background: #1f1f1f; border-color: #444; } .soft { color: #b5b5b5; }
  button { background: #eee; color: #151515; border-color: #eee; } button.second { background: #1f1f1f; color: #eee; }
}
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export interface HtmlPage {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A page without a script. Its one form may only be sent to us, and to `returnsTo`, where our answer leads. */
export const oauthPage = (title: string, content: string, returnsTo = ''): HtmlPage => ({
  html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · Lamppost</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'${returnsTo && ` ${returnsTo}`}; ` +
      "base-uri 'none'; frame-ancestors 'none'",
    'x-frame-options': 'DENY',
    // The policy of all other answers makes browsers send the form with the origin `null`.
    'referrer-policy': 'same-origin',
  },
});

export const messagePage = (title: string, message: string): HtmlPage =>
  oauthPage(
    title,
    `<p>${escapeHtml(message)}</p>\n<p class="soft">Go back to the app, and try again there.</p>`,
  );
