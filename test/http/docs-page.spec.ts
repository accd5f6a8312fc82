import { writeFileSync } from 'node:fs';

import { Page, chromiumPath } from '../support/chromium';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

const chromium = chromiumPath();
const onlyWithChromium = chromium === undefined ? describe.skip : describe;

onlyWithChromium('the docs page, in a browser', () => {
  let world: World;
  let url: string;
  let page: Page;

  const shows = (text: string): Promise<void> =>
    expectEventually(() => page.value<boolean>(`document.body.innerText.includes(${JSON.stringify(text)})`));

  beforeAll(async () => {
    world = await World.start();
    url = await world.listen();
    page = await Page.open(chromium!);
  });
  afterAll(async () => {
    await page.close();
    await world.stop();
  });

  it('shows both documents under its strict policy, without a complaint', async () => {
    await page.goTo(`${url}/docs`);
    await shows('/v1/agent/quote');
    await shows('Lamppost agent API');
    if (process.env['SCREENSHOT'] !== undefined) {
      writeFileSync(process.env['SCREENSHOT'], await page.screenshot());
    }

    await page.value(`(() => {
      const select = document.querySelector('select');
      const setter = Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set;
      setter.call(select, '/v1/account/openapi.json');
      select.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
    await shows('Lamppost account API');

    expect(page.complaints).toEqual([]);
  });

  it('unfolds an operation with its fields and its example', async () => {
    await page.goTo(`${url}/docs`);
    await shows('/v1/agent/quote');

    await page.value(`document.querySelector('[id$="-quote"] button').click()`);
    await shows('torch-video');

    expect(page.complaints).toEqual([]);
  });
});
