import { createHash } from 'node:crypto';

import { type Micro, usdText } from '#kernel/money';
import { escapeHtml } from '#platform/http/answers/escape-html';
import type { TopUpState } from './top-up.entity';

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; color: #1c1c1c; background: #f6f4ef; margin: 0; }
main { max-width: 26rem; margin: 12vh auto; padding: 2rem; background: #fff; border: 1px solid #ddd; border-radius: 12px; }
h1 { font-size: 1.25rem; margin: 0 0 1rem; }
.amount { font-size: 2rem; margin: 0 0 1rem; }
.note { color: #5c5c5c; }
button { font: inherit; width: 100%; padding: .75rem; border: 0; border-radius: 8px; background: #1c1c1c; color: #fff; cursor: pointer; }
button:focus-visible, a:focus-visible { outline: 3px solid #b8860b; outline-offset: 2px; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // No script, one known style, and one form that posts to us only.
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; ` +
    "frame-ancestors 'none'",
  // The policy of all other answers makes browsers send the form with the origin `null`.
  'referrer-policy': 'same-origin',
} as const;

/** The checkout of the sandbox, in place of a bank's page. */
export const sandboxPage = (topUp: {
  readonly amount: Micro;
  readonly state: TopUpState;
  readonly payUrl: string;
  readonly billingUrl: string;
}): string => {
  const amount = `$${usdText(topUp.amount).slice(0, -4)}`;
  const action =
    topUp.state === 'pending'
      ? `<form method="post" action="${escapeHtml(topUp.payUrl)}"><button>Pay ${escapeHtml(amount)}</button></form>`
      : `<p>This checkout is ${escapeHtml(topUp.state)}.</p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Sandbox checkout</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Sandbox checkout</h1>
<p class="amount">${escapeHtml(amount)}</p>
<p class="note">Nobody is charged here: this service sells for test money only.</p>
${action}
<p><a href="${escapeHtml(topUp.billingUrl)}">Back to billing</a></p>
</main>
</body>
</html>
`;
};
