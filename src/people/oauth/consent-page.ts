import { type Micro, usdText } from '#kernel/money';
import { escapeHtml } from '#platform/http/answers/escape-html';
import type { ConnectingApp } from './connecting-app';
import { DEFAULT_DAYS, DEFAULT_LIMIT_USD } from './consent-limits';
import { type HtmlPage, oauthPage } from './oauth-page';
import { SCOPES } from './scopes';

/** An organisation that may pay for the app. */
export interface PayingOrganisation {
  readonly id: string;
  readonly name: string;
  readonly balance: Micro;
}

export interface ConsentFacts {
  readonly app: ConnectingApp;
  readonly scope: string;
  readonly email: string;
  readonly organisations: readonly PayingOrganisation[];
  readonly token: string;
  /** The page on which the person can end it. */
  readonly connections: string;
  readonly topUp: string;
  /** The values that the person has sent, if a problem brought them back. */
  readonly sent?: { readonly organisation?: string; readonly limit?: string; readonly days?: string };
  readonly problem?: string;
}

const dollars = (amount: Micro): string => `$${usdText(amount).slice(0, -4)}`;

const sourceOf = ({ isVerified, isLocal, host, returnsTo }: ConnectingApp): string => {
  const from = isVerified
    ? `<strong>${escapeHtml(host)}</strong> says that this is its app.`
    : 'Nobody vouches for this name: any program can call itself so.';
  const to = isLocal
    ? `<p class="warning">The answer goes to a program on your own computer (${escapeHtml(returnsTo)}). Allow this only if you started it yourself, just now.</p>`
    : `<p>The answer goes to <strong>${escapeHtml(returnsTo)}</strong>.</p>`;
  return `<p>${from}</p>\n${to}`;
};

const optionOf = ({ id, name, balance }: PayingOrganisation, chosen: string | undefined): string =>
  `<option value="${escapeHtml(id)}"${id === chosen ? ' selected' : ''}>${dollars(balance)} of ${escapeHtml(name)}</option>`;

/** The page stays open beside the top-up, because the sign-in would be lost otherwise. */
const emptyNote = (topUp: string): string =>
  `<p class="warning">There are no credits yet, so the app can only use what is free. <a href="${escapeHtml(topUp)}" target="_blank">Add credits</a>, now or later.</p>`;

/** The page on which a person lets an app spend a limited amount for a limited time. */
export const consentPage = (facts: ConsentFacts): HtmlPage => {
  const { app, scope, email, organisations, token, connections, topUp, sent = {}, problem } = facts;
  const name = escapeHtml(app.name);
  const words = scope.split(' ').flatMap((one) => SCOPES[one]?.words ?? []);
  const content = `
${problem === undefined ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`}
${sourceOf(app)}
<p>It asks to:</p>
<ul>${words.map((one) => `<li>${escapeHtml(one)}</li>`).join('')}</ul>
<form method="post">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<label for="organisation">Paid from</label>
<select id="organisation" name="organisation">${organisations.map((one) => optionOf(one, sent.organisation)).join('')}</select>
${organisations.some(({ balance }) => balance > 0n) ? '' : emptyNote(topUp)}
<div class="pair">
<div><label for="limit">At most, in US dollars</label>
<input id="limit" name="limit" inputmode="decimal" required value="${escapeHtml(sent.limit ?? DEFAULT_LIMIT_USD)}"></div>
<div><label for="days">For, in days</label>
<input id="days" name="days" inputmode="numeric" required value="${escapeHtml(sent.days ?? DEFAULT_DAYS)}"></div>
</div>
<button name="decision" value="allow">Allow ${name}</button>
<button class="second" name="decision" value="deny" formnovalidate>Deny</button>
</form>
<p class="soft">You are ${escapeHtml(email)}. You can see what it spends, and end it at any time, on <a href="${escapeHtml(connections)}">your connections</a>.</p>`;
  return oauthPage(`Let ${app.name} spend your credits?`, content, app.source);
};
