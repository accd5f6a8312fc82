// Finds links between the Markdown files of the repository that lead nowhere, and pages whose list of contents lacks a
// section: `node tools/links.mjs`. Pages that the code and the settings name are links too.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = process.argv[2] ?? join(import.meta.dirname, '..');
const NAMED_FILE = /\b(docs\/[\w/.-]+\.md)\b(?:#([\w-]+))?/g;
/** Links, images, references of links, and HTML. */
const LINKS = [
  /\]\(\s*<?([^)\s>]+)>?(?:\s+["'(][^)]*)?\s*\)/g,
  /^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm,
  /<(?:a|img|source)\s[^>]*?\b(?:href|src|srcset)=["']([^"']+)/g,
];

const withoutCode = (text) =>
  text.replaceAll(/^( *)```[\s\S]*?^\1```/gm, '').replaceAll(/`[^`\n]*`/g, 'code');

/** The anchor that GitHub gives to a heading. */
const anchorOf = (heading) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** GitHub numbers the anchors of equal headings. */
const headingsOf = (text) => {
  const seen = new Map();
  return [...text.replaceAll(/^( *)```[\s\S]*?^\1```/gm, '').matchAll(/^(#+) (.+)$/gm)].map(
    ([, marks, heading]) => {
      const anchor = anchorOf(heading.trim());
      const times = seen.get(anchor) ?? 0;
      seen.set(anchor, times + 1);
      return { level: marks.length, anchor: times === 0 ? anchor : `${anchor}-${times}`, heading };
    },
  );
};

/** Files that git ignores exist only on this machine. */
const read = (file) => {
  const name = file.replace(/\/$/, '');
  if (files.includes(name)) return readFileSync(join(ROOT, name), 'utf8');
  return name === '.' || files.some((one) => one.startsWith(`${name}/`)) ? '' : undefined;
};

const lacks = (text, anchor) => !headingsOf(text).some((one) => one.anchor === anchor);

/** The faults of a Markdown file: links that lead nowhere, and sections that its list of contents lacks. */
const faultsOfPage = (name, text) => {
  const plain = withoutCode(text);
  const links = LINKS.flatMap((pattern) => [...plain.matchAll(pattern)].map(([, to]) => to));
  const faults = links.flatMap((to) => {
    // The service fills in `{{url}}` and the codes of errors; the specs of its guides check those links.
    if (/^[a-z]+:|^\/|^\{\{|errors\.md#[A-Z_]+$/.test(to)) return [];
    const [path, anchor] = to.split('#');
    const file = path === '' ? name : join(dirname(name), decodeURI(path));
    const target = path === '' ? text : read(file);
    if (target === undefined) return [`${name}: ${to} does not exist`];
    // The service serves the guides alone.
    if (name.startsWith('docs/guides/') && dirname(file) !== 'docs/guides')
      return [`${name}: ${to} is no guide`];
    if (anchor === undefined || !file.endsWith('.md')) return [];
    return lacks(target, anchor) ? [`${name}: ${to} has no such section`] : [];
  });
  const contents = [...text.matchAll(/^- \[[^\]]*\]\(#([^)]+)\)$/gm)].map(([, anchor]) => anchor);
  if (contents.length < 2) return faults;
  const missing = headingsOf(text).filter(({ level, anchor }) => level === 2 && !contents.includes(anchor));
  return [...faults, ...missing.map(({ heading }) => `${name}: the contents lack "${heading}"`)];
};

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
})
  .toString()
  .split('\0')
  .filter((name) => existsSync(join(ROOT, name)));
const pages = files.filter((name) => name.endsWith('.md') && !name.startsWith('src/'));
const sources = files.filter((name) => /^(src|deploy)\/.*(?<!spec\.ts|json)$|^\.env\.example$/.test(name));
const faults = [
  ...pages.flatMap((name) => faultsOfPage(name, readFileSync(join(ROOT, name), 'utf8'))),
  ...sources.flatMap((name) =>
    [...readFileSync(join(ROOT, name), 'utf8').matchAll(NAMED_FILE)].flatMap(([to, path, anchor]) => {
      const target = read(path);
      if (target === undefined) return [`${name}: ${path} does not exist`];
      return anchor !== undefined && lacks(target, anchor) ? [`${name}: ${to} has no such section`] : [];
    }),
  ),
];
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
