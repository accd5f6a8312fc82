import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ReadResourceResult } from '@modelcontextprotocol/server';

/** The page that hosts with MCP Apps show for the result of a tool. */
export const RESULT_APP = 'ui://lamppost/result';

/** The metadata of a tool whose result has the page. */
export const SHOWN_BY_APP = { ui: { resourceUri: RESULT_APP } };

const page = readFileSync(join(__dirname, 'result-app.html'), 'utf8');

/** The page loads media from the service, and nothing from any other address. */
export const resultApp = (publicUrl: string): ReadResourceResult => ({
  contents: [
    {
      uri: RESULT_APP,
      mimeType: 'text/html;profile=mcp-app',
      text: page.replace('{{publicUrl}}', publicUrl),
      _meta: { ui: { csp: { resourceDomains: [new URL(publicUrl).origin] }, prefersBorder: true } },
    },
  ],
});
