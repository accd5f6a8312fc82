import type { Said } from '../support/fake-text-server';
import { CLAUDE_CODE, CODEX, GEMINI_CLI, OPENCODE, type Program, type ToolCall } from './programs';
import type { Maker } from './agent-stage';

/** The programs, each with the maker of its model. */
export const PROGRAMS: readonly [name: string, Program, Maker, model: string][] = [
  ['Claude Code', CLAUDE_CODE, 'anthropic', 'claude-sonnet-4-6'],
  ['Codex', CODEX, 'openai', 'gpt-5.5'],
  ['Gemini CLI', GEMINI_CLI, 'google', 'gemini-3-flash-preview'],
  ['opencode', OPENCODE, 'open', 'qwen-coder'],
];

export const SIGNATURE = 'c2lnbmVkLWJ5LWl0cy1tYWtlcg==';
export const DONE: Said = { texts: ['All done.'], finish: 'stop', counts: { read: 1_000, written: 5 } };
/** The prices of a call of tools and of the end, at ten cents and forty cents for a million. */
export const [CALL_MICRO, DONE_MICRO] = [112, 102];

/** Programs drop a call with an id that came before. */
let lastId = 0;

export const callsOf = (...tools: readonly ToolCall[]): Said => ({
  thinks: 'I need a tool.',
  signature: SIGNATURE,
  calls: tools.map((tool) => ({ ...tool, id: String((lastId += 1)) })),
  finish: 'tool_calls',
  counts: { read: 1_000, written: 30 },
});

/** Whether a call offers a tool. The programs also ask for titles, without tools. Codex adds those that its model has found. */
export const offers = ({ tools = [], input }: Record<string, unknown>, { name }: ToolCall): boolean => {
  const found = Array.isArray(input) ? input.filter(({ type }) => type === 'tool_search_output') : [];
  return JSON.stringify([tools, found]).includes(`"${name}"`);
};

/** Gives the steps in their order, to calls that offer their tool. Any other call gets the end. */
export const inTurn = (...steps: readonly (readonly ToolCall[])[]) => {
  const left = [...steps];
  return (body: Record<string, unknown>): Said => {
    const next = left[0];
    if (next === undefined || !offers(body, next[0]!)) return DONE;
    left.shift();
    return callsOf(...next);
  };
};
