import { Marked } from 'marked';

import { anchorOf } from '#faces/discovery/guide-sections';
import { GUIDES, type Guide } from '#faces/discovery/guides';
import { escapeHtml } from '#platform/http/answers/escape-html';

/** The address of a guide, relative to the base of a page, which is the service's own address. */
const addressOf = (name: string, anchor = ''): string => `guides/${name}${anchor && `#${anchor}`}`;

/**
 * The address for a link in a guide. The links in the Markdown files also work without the service, so they must be
 * converted.
 */
const hrefOf = (href: string, name: string): string => {
  const [, other, anchor] = /^([\w-]+)\.md(?:#(.+))?$/.exec(href) ?? [];
  if (other !== undefined) return addressOf(other, anchor);
  return href.startsWith('#') ? addressOf(name, href.slice(1)) : href;
};

/** The sections below this mark are tabs of the page. Elsewhere they are sections. */
const TABS = '<!-- tabs -->';

const rendererFor = (name: string): Marked =>
  new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const words = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${words}</h1>\n`;
        const anchor = anchorOf(text.replaceAll('`', ''));
        return (
          `<h${depth} id="${escapeHtml(anchor)}">${words} ` +
          `<a class="anchor" href="${escapeHtml(addressOf(name, anchor))}" aria-label="Link to ${escapeHtml(text.replaceAll('`', ''))}">#</a>` +
          `</h${depth}>\n`
        );
      },
      code({ text, lang = '' }) {
        return (
          `<div class="code" data-language="${escapeHtml(lang)}"><pre tabindex="0" role="group" aria-label="Code: ${escapeHtml(lang || 'text')}">` +
          `<code>${escapeHtml(text)}</code></pre><span class="copy"></span></div>\n`
        );
      },
      table({ header, rows }) {
        const cells = (row: typeof header, tag: 'td' | 'th'): string =>
          row
            .map(({ tokens }) => {
              const text = this.parser.parseInline(tokens);
              return tag === 'th' && text !== '' ? `<th scope="col">${text}</th>` : `<td>${text}</td>`;
            })
            .join('');
        const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
        return (
          '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>' +
          `<thead><tr>${cells(header, 'th')}</tr></thead><tbody>${body}</tbody></table></div>\n`
        );
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(hrefOf(href, name))}">${this.parser.parseInline(tokens)}</a>`;
      },
      html: ({ text }) => (text.trim() === TABS ? '<div class="sections"></div>\n' : escapeHtml(text)),
    },
  });

const listOf = (current?: string): string =>
  GUIDES.map(({ name, title }) => {
    const mark = name === current ? ' aria-current="page"' : '';
    return `<li><a href="${addressOf(name)}"${mark}>${escapeHtml(title)}</a></li>`;
  }).join('\n');

const HEADING = /<h2 id="([^"]+)">(.*?) <a class="anchor"/g;

/** The table of contents of a guide with at least three sections. */
const contentsOf = (name: string, html: string): string => {
  const found = [...html.matchAll(HEADING)];
  if (found.length < 3) return '';
  const items = found.map(
    ([, anchor = '', words]) => `<li><a href="${addressOf(name, anchor)}">${words}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><ul>${items.join('')}</ul></nav>`;
};

/** The content of one guide, with links to all other guides beside it. */
export const guideHtml = ({ name, title }: Guide, markdown: string): string => {
  const html = rendererFor(name).parse(markdown, { async: false });
  const [head = '', ...rest] = html.split('</p>\n');
  const body = `${head}</p>\n${contentsOf(name, html)}${rest.join('</p>\n')}`;
  const index = GUIDES.findIndex((one) => one.name === name);
  const next = GUIDES[index + 1];
  const onward =
    next === undefined ? '' : `<a href="${addressOf(next.name)}">Next: ${escapeHtml(next.title)}</a>`;
  return `<div class="guide">
<div class="finder"></div>
<nav class="guides" aria-label="Guides"><ul>
${listOf(name)}
</ul></nav>
<article aria-label="${escapeHtml(title)}">
${body}
<p class="row apart onward"><a href="${addressOf(name)}.md">This page as Markdown</a>${onward}</p>
</article>
</div>`;
};

export const guidesHtml = (title: string, about: string): string => `<div class="head"><div>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(about)}</p>
</div></div>
<div class="finder"></div>
<ul class="grid shelf-of-guides">
${GUIDES.map(
  (guide) =>
    `<li class="card"><h2><a href="${addressOf(guide.name)}">${escapeHtml(guide.title)}</a></h2><p class="soft">${escapeHtml(guide.about)}</p></li>`,
).join('\n')}
</ul>`;
