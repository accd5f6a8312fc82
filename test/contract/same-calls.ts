import { numbersFrom } from '../support/random';
import type { Said } from '../support/fake-text-server';

/** A call and its answer, independent of a vendor's format. */
export interface SameCall {
  readonly body: { readonly messages: readonly object[] };
  /** The messages of the body, as a fake reports them. */
  readonly system: string;
  readonly lines: readonly string[];
  readonly tools: readonly string[];
  readonly said: Said & { readonly counts: { readonly read: number; readonly written: number } };
}

const WORDS = [
  'lamp',
  'fog',
  'naïve',
  '街灯',
  '🏮',
  '"quoted"',
  'a\\b',
  '<b>',
  'line\nbreak',
  '{}',
  'ünder',
  '0',
];
const TOOLS = ['weather', 'clock', 'look_up'];

/** The same calls for every vendor: texts, pictures, tools with their results, limits and reasons to finish. */
export const sameCalls = (count: number, seed: number): readonly SameCall[] => {
  const next = numbersFrom(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  const happens = (chance: number): boolean => next() < chance;
  const pick = <T>(from: readonly T[]): T => from[below(from.length)]!;
  const text = (): string => Array.from({ length: 1 + below(6) }, () => pick(WORDS)).join(' ');
  const input = (): object =>
    happens(0.2) ? {} : { city: text(), days: [below(9), below(9)], deep: { is: happens(0.5), of: null } };

  const call = (at: number): SameCall => {
    const system = happens(0.5) ? text() : '';
    const tools = happens(0.6) ? TOOLS.slice(0, 1 + below(TOOLS.length)) : [];
    const messages: object[] = system === '' ? [] : [{ role: 'system', content: system }];
    const lines: string[] = [];
    const user = (): void => {
      const words = text();
      lines.push(`user: ${words}`);
      if (!happens(0.2)) {
        messages.push({ role: 'user', content: words });
        return;
      }
      lines.push('user shows image/png');
      messages.push({
        role: 'user',
        content: [
          { type: 'text', text: words },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
        ],
      });
    };
    const assistant = (turn: number): void => {
      const content = text();
      lines.push(`assistant: ${content}`);
      const asked = tools.length > 0 && happens(0.6) ? tools.slice(0, 1 + below(2)) : [];
      const calls = asked.map((name, n) => ({
        id: `call_${at}_${turn}_${n}`,
        name,
        input: input(),
        result: text(),
      }));
      for (const { name, input: given } of calls)
        lines.push(`assistant calls ${name} ${JSON.stringify(given)}`);
      for (const { name, result } of calls) lines.push(`tool ${name}: ${result}`);
      messages.push({
        role: 'assistant',
        content,
        ...(calls.length > 0 && {
          tool_calls: calls.map(({ id, name, input: given }) => ({
            id,
            type: 'function',
            function: { name, arguments: JSON.stringify(given) },
          })),
        }),
      });
      for (const { id, result } of calls) messages.push({ role: 'tool', tool_call_id: id, content: result });
    };
    user();
    for (let turn = 0, turns = below(3); turn < turns; turn += 1) {
      assistant(turn);
      user();
    }
    const calls = tools.length > 0 && happens(0.4) ? [{ name: pick(tools), input: input() }] : [];
    return {
      body: {
        messages,
        ...(tools.length > 0 && { tools: tools.map((name) => ({ type: 'function', function: { name } })) }),
        ...(happens(0.3) && { temperature: 0.5 }),
      },
      system,
      lines,
      tools,
      said: {
        texts: Array.from({ length: 1 + below(5) }, () => `${text()} `),
        calls,
        finish: calls.length > 0 ? 'tool_calls' : pick(['stop', 'length'] as const),
        counts: { read: 1 + below(500), written: 1 + below(99) },
      },
    };
  };
  return Array.from({ length: count }, (_, at) => call(at));
};
