import sharp from 'sharp';

import { Pages, type Visitor, describeInBrowser, expectToSee, expectSoon } from '../support/pages';

const EVIL = `"><img src=x onerror="window.hit=1"><script>window.hit=1</script>`;

const file = async (name: string, background: string) => ({
  name,
  mimeType: 'image/png',
  buffer: await sharp({ create: { width: 64, height: 64, channels: 3, background } })
    .png()
    .toBuffer(),
});

describeInBrowser('references, in a browser', () => {
  let pages: Pages;
  let visitor: Visitor;

  beforeAll(async () => {
    pages = await Pages.open();
  });
  beforeEach(async () => {
    visitor = await pages.visitor();
    await visitor.signUp();
    await visitor.open('/references');
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  it('are stored with words, found by them, and deleted after a question', async () => {
    const { page } = visitor;
    await expectToSee(page.getByText('Your library is empty'));
    await page
      .getByLabel('Files to store')
      .setInputFiles([await file('old-town_hall.png', 'tan'), await file('my_boat.png', 'navy')]);
    await expectSoon(() => page.getByLabel('What old-town_hall.png shows').inputValue(), 'old town hall');
    await page.getByLabel('What my_boat.png shows').fill('a blue boat on a lake');
    await page.getByRole('button', { name: 'Store', exact: true }).click();

    await expectToSee(page.getByText('2 references'));
    await expectToSee(page.getByRole('img', { name: 'a blue boat on a lake' }));
    await expectToSee(page.getByText('image', { exact: true }).nth(1)); // Both have been read.
    await visitor.keepScreenshot('references-light');

    await page.getByRole('searchbox', { name: 'Search' }).fill('boat on a lake');
    await expectToSee(page.getByText('the closest first'));
    await expectToSee(page.locator('.reference').first().getByText('a blue boat on a lake'));
    expect(new URL(page.url()).search).toBe('?q=boat+on+a+lake');
    await page.getByRole('searchbox', { name: 'Search' }).fill('');

    await page.getByRole('button', { name: 'Delete a blue boat on a lake' }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await expectToSee(page.getByText('1 reference', { exact: true }));
  });

  it('are taken by drop, and refused with the reason when they are none', async () => {
    const { page } = visitor;
    for (const [name, type] of [
      ['notes.txt', 'text/plain'],
      ['fake.png', 'image/png'],
    ] as const) {
      await page.dispatchEvent('.drop', 'drop', { dataTransfer: await visitor.dataTransfer(name, type) });
    }
    await expectToSee(page.getByLabel('What fake.png shows'));
    await page.getByRole('button', { name: 'Store', exact: true }).click();

    await expectToSee(page.locator('.wrong')); // The service's answer.
    expect(visitor.complaints.splice(0)).toHaveLength(1);
  });

  it('keep a label that looks like a script as the text that it is', async () => {
    const { page } = visitor;
    await page.getByLabel('Files to store').setInputFiles([await file('evil.png', 'red')]);
    await page.getByLabel('What evil.png shows').fill(EVIL);
    await page.getByRole('button', { name: 'Store', exact: true }).click();

    await expectToSee(page.getByText(EVIL, { exact: true }));
    expect(await page.evaluate('window.hit')).toBeUndefined();
    await visitor.open('/studio/image?model=ember-edit');
    await page.getByRole('button', { name: 'From references' }).click();
    await expectToSee(page.getByRole('button', { name: EVIL }));
    expect(await page.evaluate('window.hit')).toBeUndefined();
  });
});
