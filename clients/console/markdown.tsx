import type { ComponentChildren } from 'preact';

import { CopyButton } from './ui.tsx';

/** Only addresses of these kinds in a model's text become links. All others stay text. */
const LINK = /^(https?:\/\/|mailto:)/i;

const INLINE =
  /(`+)(?<code>.+?)\1|\*\*(?<strong>.+?)\*\*|__(?<bold>.+?)__|\*(?<em>[^*\s](?:.*?[^*\s])?)\*|!?\[(?<text>[^\]]*)\]\((?<href>[^)\s]+)[^)]*\)/s;

/** Inline Markdown as nodes. A model's text never becomes HTML, so no sanitizing is needed. */
const inline = (text: string): ComponentChildren => {
  const match = INLINE.exec(text);
  if (match === null) return text;
  const { code, strong, bold, em, text: label, href } = match.groups ?? {};
  const shown = (): ComponentChildren => {
    if (code !== undefined) return <code>{code}</code>;
    if (strong !== undefined || bold !== undefined) return <strong>{inline(strong ?? bold ?? '')}</strong>;
    if (em !== undefined) return <em>{inline(em)}</em>;
    if (href === undefined || !LINK.test(href)) return match[0];
    return (
      <a href={href} rel="noopener noreferrer nofollow" target="_blank">
        {label === '' ? href : label}
      </a>
    );
  };
  return (
    <>
      {text.slice(0, match.index)}
      {shown()}
      {inline(text.slice(match.index + match[0].length))}
    </>
  );
};

const TOKEN =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<=^|\s)#[^\n]*|--[^\n]*)|(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|(?<number>\b\d[\d_.]*\b)|(?<word>\b(?:abstract|and|as|async|await|break|case|catch|class|const|continue|def|default|del|do|elif|else|enum|except|export|extends|false|False|finally|fn|for|from|func|function|if|impl|implements|import|in|interface|is|let|match|mod|mut|new|nil|None|not|null|or|package|pass|private|protected|pub|public|raise|return|select|self|static|struct|super|switch|this|throw|true|True|try|type|undefined|use|var|void|where|while|with|yield)\b)/gm;

/** Colours code of any language in the same simple way: comments, strings, numbers and the usual keywords. */
const highlighted = (code: string): ComponentChildren => {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const match of code.matchAll(TOKEN)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? ['word'];
    parts.push(
      code.slice(at, match.index),
      <span key={match.index} class={`code-${kind}`}>
        {match[0]}
      </span>,
    );
    at = match.index + match[0].length;
  }
  return [...parts, code.slice(at)];
};

const CodeBlock = ({ language, code }: { readonly language: string; readonly code: string }) => (
  <div class="code-block">
    <div class="row apart">
      <span class="hint">{language === '' ? 'code' : language}</span>
      <CopyButton text={code} what="the code" />
    </div>
    <pre tabIndex={0} role="group" aria-label="Code">
      <code>{highlighted(code)}</code>
    </pre>
  </div>
);

const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;
const cellsOf = (line: string): readonly string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());

/** One block of lines: a heading, a list, a quotation, a table, a rule or a paragraph. */
const Block = ({ lines }: { readonly lines: readonly string[] }) => {
  const [first = '', second = ''] = lines;
  const heading = /^(#{1,6})\s+(.*)$/.exec(first);
  if (heading !== null) {
    return (
      <>
        <p class="strong heading">{inline(heading[2] ?? '')}</p>
        {lines.length > 1 ? <Block lines={lines.slice(1)} /> : null}
      </>
    );
  }
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(first)) return <hr />;
  if (first.startsWith('>')) {
    return (
      <blockquote>
        <Block lines={lines.map((line) => line.replace(/^>\s?/, ''))} />
      </blockquote>
    );
  }
  if (first.includes('|') && /^[\s|:-]+$/.test(second) && second.includes('-')) {
    return (
      <div class="scroll" tabIndex={0} role="group" aria-label="Table">
        <table>
          <thead>
            <tr>
              {cellsOf(first).map((cell, at) => (
                <th key={at} scope="col">
                  {cell === '' ? ' ' : inline(cell)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.slice(2).map((line, row) => (
              <tr key={row}>
                {cellsOf(line).map((cell, at) => (
                  <td key={at}>{inline(cell)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    );
  }
  if (ITEM.test(first)) {
    const items: string[] = [];
    for (const line of lines) {
      if (ITEM.test(line)) items.push(line.replace(ITEM, ''));
      else items.push(`${items.pop() ?? ''}\n${line.trim()}`);
    }
    const shown = items.map((item, at) => <li key={at}>{inline(item)}</li>);
    return /^\s*\d/.test(first) ? <ol start={Number.parseInt(first, 10)}>{shown}</ol> : <ul>{shown}</ul>;
  }
  const list = lines.findIndex((line, at) => at > 0 && ITEM.test(line));
  if (list > 0) {
    return (
      <>
        <p>{inline(lines.slice(0, list).join('\n'))}</p>
        <Block lines={lines.slice(list)} />
      </>
    );
  }
  return <p>{inline(lines.join('\n'))}</p>;
};

const blocksOf = (text: string): readonly (readonly string[])[] => {
  const blocks: string[][] = [[]];
  for (const line of text.split('\n')) {
    if (line.trim() === '') blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.filter((lines) => lines.length > 0);
};

/** A model's Markdown. While an answer streams, text after an open code fence already counts as code. */
export const Markdown = ({ text }: { readonly text: string }) => (
  <div class="words markdown">
    {text.split(/^[ \t]*```/m).map((part, at) => {
      if (at % 2 === 0)
        return blocksOf(part).map((lines, block) => <Block key={`${at} ${block}`} lines={lines} />);
      const [, language = '', code = ''] = /^([^\n]*)\n?([\s\S]*)$/.exec(part) ?? [];
      return <CodeBlock key={at} language={language.trim()} code={code.replace(/\n$/, '')} />;
    })}
  </div>
);
