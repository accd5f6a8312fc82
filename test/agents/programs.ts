import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PACKAGES = join(__dirname, 'node_modules');
const guideOf = (name: string): string =>
  readFileSync(join(__dirname, `../../docs/guides/${name}.md`), 'utf8');

/** The place where a program runs: its home, its folder of work, and the service that it uses. */
export interface Place {
  readonly home: string;
  readonly folder: string;
  readonly url: string;
  readonly key: string;
  readonly model: string;
}

/** How to start a program without a terminal. */
export interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A program that people run unchanged: the address and the key of the service are all that they set. */
export interface Program {
  /** Writes its settings into its home. */
  prepare?(place: Place): void;
  start(place: Place, words: string): Start;
  /** Its tool that writes a file. */
  write(path: string, content: string): ToolCall;
  /** Its tool that looks at a picture, unless it sends the pictures that the user names. */
  look?(path: string): ToolCall;
  /** Its tool that gives work to an agent of its own, if it has one. */
  delegate?(work: string): ToolCall;
  /** How it goes on with its last session in the same folder. */
  resume(place: Place, words: string): Start;
  /** Whether it sends a PDF file that its user names or that its tool reads. */
  readonly readsPdf: boolean;
  /** The tokens at which it shortens its conversation by itself, if it does so by the counts of its model. */
  readonly full?: number;
  /** Whether it sends the signature of its maker back. */
  readonly signs: boolean;
  /** How often it sends a call that nobody paid. */
  readonly triesPaid: number;
  /** The fields of its calls that must reach the maker of the model without a change. */
  readonly kept: readonly string[];
}

export interface ToolCall {
  readonly name: string;
  readonly namespace?: string;
  readonly input: object;
}

/** The first block of a guide for people, with the values of a place. The programs run with what it says. */
export const guided = (
  heading: string,
  language: string,
  { url, key, model }: Place,
  guide = 'agents',
): string => {
  const section =
    guideOf(guide)
      .split(`\n### ${heading}\n`)[1]
      ?.split(/\n##+ /)[0] ?? '';
  const [, block] = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'm').exec(section) ?? [];
  if (block === undefined) throw new Error(`docs/guides/${guide}.md has no ${language} for ${heading}.`);
  return block.replaceAll('{{url}}', url).replaceAll('lp_…', key).replaceAll('{{someText}}', model);
};

/** The variables that the guide exports. */
export const variables = (heading: string, place: Place): Record<string, string> =>
  Object.fromEntries(
    [...guided(heading, 'console', place).matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [
      name,
      value,
    ]),
  );

const put = (file: string, content: string | object): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
};

const SYSTEM = process.platform === 'win32' ? 'windows' : process.platform;

/** The files of the programs. Those in JavaScript run by our own Node. */
const FILES: Readonly<Record<string, string>> = {
  'Claude Code': '@anthropic-ai/claude-code/cli-wrapper.cjs',
  Codex: '@openai/codex/bin/codex.js',
  'Gemini CLI': '@google/gemini-cli/bundle/gemini.js',
  opencode: `opencode-${SYSTEM}-${process.arch}/bin/opencode`,
};

/** A command of a program, as somebody types it behind its name. */
export const commandOf = (name: string, words: readonly string[]): Start => {
  const file = join(PACKAGES, FILES[name] ?? '');
  return file.endsWith('js') ? { file: process.execPath, args: [file, ...words] } : { file, args: words };
};

const claudeCode = (place: Place, words: string, ...more: readonly string[]): Start => ({
  ...commandOf('Claude Code', [
    '-p',
    words,
    ...more,
    '--model',
    place.model,
    '--permission-mode',
    'acceptEdits',
    '--output-format',
    'json',
  ]),
  env: variables('Claude Code', place),
});

export const CLAUDE_CODE: Program = {
  start: (place, words) => claudeCode(place, words),
  resume: (place, words) => claudeCode(place, words, '--continue'),
  delegate: (work) => ({
    name: 'Agent',
    input: {
      description: 'Some work',
      prompt: work,
      subagent_type: 'general-purpose',
      run_in_background: false,
    },
  }),
  readsPdf: true,
  full: 170_000,
  write: (path, content) => ({ name: 'Write', input: { file_path: path, content } }),
  look: (path) => ({ name: 'Read', input: { file_path: path } }),
  signs: true,
  triesPaid: 1,
  kept: ['messages', 'system', 'thinking', 'context_management', 'output_config'],
};

const codex = (place: Place, words: string, ...more: readonly string[]): Start => ({
  ...commandOf('Codex', [
    'exec',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    '--json',
    '--cd',
    place.folder,
    ...more,
    '--',
    words,
  ]),
  env: variables('Codex', place),
});

export const CODEX: Program = {
  prepare: (place) =>
    put(
      join(place.home, '.codex/config.toml'),
      `${guided('Codex', 'toml', place)}\n[analytics]\nenabled = false\n`,
    ),
  start: (place, words) => codex(place, words),
  resume: (place, words) => codex(place, words, 'resume', '--last'),
  readsPdf: false,
  full: 390_000,
  write: (path, content) => ({
    name: 'exec_command',
    input: { cmd: `printf '%s' '${content}' > '${path}'` },
  }),
  look: (path) => ({ name: 'view_image', input: { path } }),
  signs: true,
  // It takes a 402 for a broken stream, and opens that five times more.
  triesPaid: 6,
  kept: ['input', 'instructions', 'reasoning', 'include', 'prompt_cache_key', 'text', 'parallel_tool_calls'],
};

const geminiCli = (place: Place, words: string, ...more: readonly string[]): Start => ({
  ...commandOf('Gemini CLI', [
    '--yolo',
    '--skip-trust',
    '--model',
    place.model,
    '--output-format',
    'json',
    ...more,
    '--prompt',
    words,
  ]),
  env: variables('Gemini CLI', place),
});

export const GEMINI_CLI: Program = {
  prepare: (place) =>
    put(join(place.home, '.gemini/settings.json'), {
      ...(JSON.parse(guided('Gemini CLI', 'json', place)) as object),
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { disableAutoUpdate: true, disableUpdateNag: true },
    }),
  start: (place, words) => geminiCli(place, words),
  resume: (place, words) => geminiCli(place, words, '--resume', 'latest'),
  delegate: (work) => ({ name: 'invoke_agent', input: { agent_name: 'generalist', prompt: work } }),
  readsPdf: true,
  write: (path, content) => ({ name: 'write_file', input: { file_path: path, content } }),
  signs: true,
  triesPaid: 1,
  kept: ['contents', 'systemInstruction'],
};

const opencode = (words: string, ...more: readonly string[]): Start => ({
  ...commandOf('opencode', ['run', '--format', 'json', ...more, '--', words]),
  env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
});

export const OPENCODE: Program = {
  prepare: (place) =>
    put(join(place.home, '.config/opencode/opencode.json'), {
      autoupdate: false,
      share: 'disabled',
      ...(JSON.parse(guided('opencode', 'json', place)) as object),
    }),
  start: (_place, words) => opencode(words),
  resume: (_place, words) => opencode(words, '--continue'),
  delegate: (work) => ({
    name: 'task',
    input: { description: 'Some work', prompt: work, subagent_type: 'general' },
  }),
  readsPdf: false,
  write: (path, content) => ({
    name: 'bash',
    input: { command: `printf '%s' '${content}' > '${path}'`, description: 'Writes a file' },
  }),
  look: (path) => ({ name: 'read', input: { filePath: path } }),
  signs: false,
  // The second call asks for a title.
  triesPaid: 2,
  kept: ['messages', 'tool_choice', 'reasoning_effort'],
};
