import type { ServerResponse } from 'node:http';

import type { Page } from 'playwright-core';

import { KeyCaller } from '../support/caller';
import { LoopbackServer, type Received } from '../support/loopback-server';
import { type CallToolResult, McpCaller } from '../support/mcp';
import { Pages, describeInBrowser, expectToSee } from '../support/pages';

const APP = 'ui://lamppost/result';

interface AppResource {
  readonly mimeType: string;
  readonly text: string;
  readonly _meta: { readonly ui: { readonly csp: { readonly resourceDomains: readonly string[] } } };
}

/** A host on a machine of its own. A browser lets only such a page load media from this machine. */
class Host extends LoopbackServer {
  page = '';

  protected serve(_: Received, response: ServerResponse): void {
    response.setHeader('content-type', 'text/html').end(this.page);
  }
}

/** The frame of a host: the page under the policy of MCP Apps, and the messages of a host that calls tools. */
const hostPage = ({ text, _meta }: AppResource, result: unknown): string => {
  const domains = _meta.ui.csp.resourceDomains.join(' ');
  const policy = [
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    `img-src ${domains} data:`,
    `media-src ${domains} data:`,
    "connect-src 'none'",
  ].join('; ');
  const framed = text.replace(
    '<head>',
    `<head><meta http-equiv="content-security-policy" content="${policy}">`,
  );
  return `<!doctype html><title>Host</title><body><script>
    const frame = Object.assign(document.createElement('iframe'), { srcdoc: ${JSON.stringify(framed).replaceAll('</', '<\\/')}, width: 700, height: 700 });
    frame.sandbox = 'allow-scripts';
    window.seen = [];
    const send = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
    addEventListener('message', async ({ data }) => {
      seen.push(data.method ?? 'answer');
      const { id, method, params } = data;
      if (method === 'ui/initialize')
        send({ id, result: { hostCapabilities: { serverTools: {}, openLinks: {} }, hostContext: { theme: 'dark' } } });
      else if (method === 'tools/call') send({ id, result: await window.callTool(params) });
      else if (method === 'ui/open-link') { window.opened = params.url; send({ id, result: {} }); }
      else if (method === 'ui/notifications/initialized') {
        send({ method: 'ui/notifications/tool-input', params: { arguments: { prompt: 'a lamp' } } });
        send({ method: 'ui/notifications/tool-result', params: ${JSON.stringify(result).replaceAll('</', '<\\/')} });
        send({ id: 'bye', method: 'ui/resource-teardown', params: {} });
      }
    });
    document.body.append(frame);
  </script>`;
};

describeInBrowser('the page that hosts of MCP show for a result', () => {
  let pages: Pages;
  let mcp: McpCaller;
  let app: AppResource;
  let host: Host;

  beforeAll(async () => {
    pages = await Pages.open();
    host = await new Host().start('127.0.0.2');
    const { key } = await KeyCaller.register(pages.world, 20_000_000n);
    mcp = await McpCaller.connect(pages.origin, { 'x-api-key': key });
    const { contents } = await mcp.client.readResource({ uri: APP });
    app = contents[0] as unknown as AppResource;
  });
  afterAll(async () => {
    await mcp.close();
    await host.stop();
    await pages.close();
  });

  const shown = async (result: CallToolResult, name: string) => {
    const visitor = await pages.visitor({ width: 760 });
    const { page } = visitor;
    await page.exposeFunction('callTool', (params: { name: string; arguments: Record<string, unknown> }) =>
      mcp.call(params.name, params.arguments),
    );
    host.page = hostPage(app, result);
    await page.goto(host.origin);
    const frame = page.frameLocator('iframe');
    return {
      page,
      frame,
      end: async () => {
        await visitor.keepScreenshot(name);
        expect(visitor.complaints).toEqual([]);
        expect(
          visitor.requests.filter(
            (url) => !url.startsWith(host.origin) && !url.startsWith(`${pages.origin}/media/`),
          ),
        ).toEqual([]);
      },
    };
  };
  const widthOf = (page: Page): Promise<number> =>
    page
      .frameLocator('iframe')
      .locator('img')
      .evaluate((image) => (image as unknown as { readonly naturalWidth: number }).naturalWidth);

  it('belongs to the tools that make media, and loads from the service alone', async () => {
    const { tools } = await mcp.client.listTools();

    const withApp = tools.filter(({ _meta }) => JSON.stringify(_meta)?.includes(APP)).map(({ name }) => name);
    expect(withApp.toSorted()).toEqual(['generate_image', 'generate_video', 'wait_for_job']);
    expect(app.mimeType).toBe('text/html;profile=mcp-app');
    expect(app._meta.ui.csp).toEqual({ resourceDomains: [pages.origin] });
  });

  it('shows a picture with its price, and opens its receipt', async () => {
    const result = await mcp.call('generate_image', { prompt: 'a lamp', inline: false });
    const { page, frame, end } = await shown(result, 'mcp-app-picture');

    await expectToSee(frame.getByRole('img', { name: 'The generated image' }));
    await expectToSee(frame.getByText(/\$0\.\d{2,6}/));
    await frame.getByRole('button', { name: 'Receipt' }).click();
    await page.waitForFunction('window.opened !== undefined');
    const { id } = (result.structuredContent as { charge: { id: string } }).charge;
    expect(await page.evaluate('window.opened')).toBe(`${pages.origin}/v1/agent/charges/${id}`);
    expect(await widthOf(page)).toBeGreaterThan(100);
    expect(await page.evaluate('window.seen')).toEqual(
      expect.arrayContaining(['ui/initialize', 'ui/notifications/size-changed', 'answer']),
    );
    await end();
  });

  it('follows a film until it plays', async () => {
    const result = await mcp.call('generate_video', {
      prompt: 'a lamp [[delay 2s]]',
      duration: 4,
      waitSeconds: 0,
    });
    const { frame, end } = await shown(result, 'mcp-app-film');

    await expectToSee(frame.locator('video'));
    await expectToSee(frame.getByText(/torch/));
    await end();
  });

  it('shows what went wrong, and no medium of another host', async () => {
    const failed = await mcp.call('generate_image', { prompt: 'a lamp [[reject]]' });
    const first = await shown(failed, 'mcp-app-error');
    await expectToSee(first.frame.locator('p.bad'));
    await first.end();

    const lie = {
      content: [{ type: 'text', text: 'Done: <img src=x onerror=alert(1)>' }],
      structuredContent: { status: 'done', kind: 'image', url: 'http://evil.test/media/a.png' },
    };
    const second = await shown(lie as unknown as CallToolResult, 'mcp-app-lie');
    await expectToSee(second.frame.getByText('Done: <img src=x onerror=alert(1)>'));
    expect(await second.frame.locator('img').count()).toBe(0);
    await second.end();
  });
});
