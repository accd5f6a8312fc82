import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Typed } from './agent-stage';
import { type Place, type Start, type ToolCall, commandOf, guided, variables } from './programs';

/** How a program gets the tools from nothing but their address, by the guide for MCP. */
export interface SignIn {
  /** Writes the entry of the guide into the settings. */
  prepare?(place: Place): void;
  /** The commands of the guide, and the texts that somebody types in the last one. */
  commands(place: Place): readonly Start[];
  readonly typed?: readonly Typed[];
  /** The calls by which its model uses a tool, one after the other. */
  use(name: string, input: object): readonly ToolCall[];
  /** The name under which the person sees it. */
  readonly app: string;
}

/** Adds an entry of the guide to the settings in JSON. */
const addEntry = (heading: string, file: string) => (place: Place) => {
  const path = join(place.home, file);
  const settings = JSON.parse(readFileSync(path, 'utf8')) as object;
  const entry = JSON.parse(guided(heading, 'json', place, 'mcp')) as object;
  writeFileSync(path, JSON.stringify({ ...settings, ...entry }));
};

/** The commands with more words than the name of the program, which opens a session. */
const commandsOf = (heading: string, place: Place): Start[] =>
  guided(heading, 'console', place, 'mcp')
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .filter((words) => words.length > 1)
    .map(([, ...words]) => commandOf(heading, words));

const guidedCommands = (heading: string) => ({
  commands: (place: Place) => commandsOf(heading, place),
});

export const SIGN_INS: Readonly<Record<string, SignIn>> = {
  'Claude Code': {
    // Nobody is there to permit the call of a tool.
    prepare: ({ home }) => {
      mkdirSync(join(home, '.claude'), { recursive: true });
      writeFileSync(
        join(home, '.claude/settings.json'),
        JSON.stringify({ permissions: { allow: ['mcp__lamppost'] } }),
      );
    },
    ...guidedCommands('Claude Code'),
    use: (name, input) => [{ name: `mcp__lamppost__${name}`, input }],
    app: 'Claude Code',
  },
  Codex: {
    prepare: (place) => {
      const path = join(place.home, '.codex/config.toml');
      writeFileSync(path, `${readFileSync(path, 'utf8')}\n${guided('Codex', 'toml', place, 'mcp')}`);
    },
    ...guidedCommands('Codex'),
    // Its model must first search for the tools of servers.
    use: (name, input) => [
      { name: 'tool_search', input: { query: name } },
      { name, namespace: 'mcp__lamppost', input },
    ],
    app: 'Codex',
  },
  // Gemini CLI has no command for this. It signs in only inside a session in a terminal.
  'Gemini CLI': {
    prepare: addEntry('Gemini CLI', '.gemini/settings.json'),
    commands: (place) => [
      { ...commandOf('Gemini CLI', ['--skip-trust']), env: variables('Gemini CLI', place) },
    ],
    typed: [
      [/Tips for getting started/, '/mcp auth lamppost'],
      // Before it has listed the servers, it sends the line to the model.
      [/auth lamppost[^a-z]+lamppost/, '\r'],
      [/Do you want to continue/, '\r'],
      [/authenticated and reloaded tools/, '/quit'],
      [/quit/, '\r'],
    ],
    use: (name, input) => [{ name: `mcp_lamppost_${name}`, input }],
    app: 'Gemini CLI MCP Client',
  },
  opencode: {
    prepare: addEntry('opencode', '.config/opencode/opencode.json'),
    ...guidedCommands('opencode'),
    use: (name, input) => [{ name: `lamppost_${name}`, input }],
    app: 'OpenCode',
  },
};
