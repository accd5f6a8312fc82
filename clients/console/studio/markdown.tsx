import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

import { type Block, type Inline, markdownOf } from './markdown-parts.ts';
import { CopyButton } from '../parts/ui.tsx';

const Parts = ({ parts }: { readonly parts: readonly Inline[] }) => (
  <>
    {parts.map((part, at) => {
      if (typeof part === 'string') return part;
      if (part.kind === 'code') return <code key={at}>{part.text}</code>;
      if (part.kind === 'link')
        return (
          <a key={at} href={part.href} rel="noopener noreferrer nofollow" target="_blank">
            {part.text}
          </a>
        );
      const shown = <Parts parts={part.parts} />;
      return part.kind === 'strong' ? <strong key={at}>{shown}</strong> : <em key={at}>{shown}</em>;
    })}
  </>
);

/** Longer code has no colours. The lengths in the pattern keep the search for the end of a comment or string short. */
const COLOURED_CHARS_MAX = 20_000;
const COLOURED_PARTS_MAX = 4_000;

const TOKEN =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]{0,2000}?\*\/|(?<=^|\s)#[^\n]*|--[^\n]*)|(?<string>"(?:\\.|[^"\\\n]){0,1000}"|'(?:\\.|[^'\\\n]){0,1000}'|`(?:\\.|[^`\\]){0,1000}`)|(?<number>\b\d[\d_.]*\b)|(?<word>\b(?:abstract|and|as|async|await|break|case|catch|class|const|continue|def|default|del|do|elif|else|enum|except|export|extends|false|False|finally|fn|for|from|func|function|if|impl|implements|import|in|interface|is|let|match|mod|mut|new|nil|None|not|null|or|package|pass|private|protected|pub|public|raise|return|select|self|static|struct|super|switch|this|throw|true|True|try|type|undefined|use|var|void|where|while|with|yield)\b)/gm;

/** Colours code of any language in the same simple way: comments, strings, numbers and the usual keywords. */
const highlighted = (code: string): ComponentChildren => {
  if (code.length > COLOURED_CHARS_MAX) return code;
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const match of code.matchAll(TOKEN)) {
    if (parts.length > COLOURED_PARTS_MAX) break;
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

const Shown = ({ block }: { readonly block: Block }) => {
  switch (block.kind) {
    case 'code':
      return <CodeBlock language={block.language} code={block.code} />;
    case 'heading':
      return (
        <p class="strong heading">
          <Parts parts={block.parts} />
        </p>
      );
    case 'rule':
      return <hr />;
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case 'table':
      return (
        <div class="scroll" tabIndex={0} role="group" aria-label="Table">
          <table>
            <thead>
              <tr>
                {block.head.map((cell, at) => (
                  <th key={at} scope="col">
                    {cell.length === 0 ? ' ' : <Parts parts={cell} />}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((cells, row) => (
                <tr key={row}>
                  {cells.map((cell, at) => (
                    <td key={at}>
                      <Parts parts={cell} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    case 'list': {
      const items = block.items.map((item, at) => (
        <li key={at}>
          <Parts parts={item} />
        </li>
      ));
      return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case 'text':
      return (
        <p>
          <Parts parts={block.parts} />
        </p>
      );
    default:
      return block satisfies never;
  }
};

const Blocks = ({ blocks }: { readonly blocks: readonly Block[] }) => (
  <>
    {blocks.map((block, at) => (
      <Shown key={at} block={block} />
    ))}
  </>
);

/**
 * A model's Markdown as nodes. The text never becomes HTML, so no sanitizing is needed. An unchanged text is not parsed
 * again.
 */
export const Markdown = ({ text }: { readonly text: string }) =>
  useMemo(
    () => (
      <div class="words markdown">
        <Blocks blocks={markdownOf(text)} />
      </div>
    ),
    [text],
  );
