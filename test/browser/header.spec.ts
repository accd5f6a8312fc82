import { Pages, describeInBrowser } from '../support/pages';

describeInBrowser('the header, in a browser', () => {
  let pages: Pages;

  beforeAll(async () => {
    pages = await Pages.open();
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  it.each([1440, 1280, 1200, 1024, 390])('has one row, %d pixels wide', async (width) => {
    const visitor = await pages.visitor({ width });
    const rowHeight = (): Promise<number> =>
      visitor.page.evaluate<number>(`document.querySelector('.bar').offsetHeight`);
    await visitor.open('/status');
    expect(await rowHeight()).toBeLessThan(80);

    await visitor.signUp();
    await visitor.post('/v1/account/organisations', { name: 'Acme and Daughters' });
    await visitor.open('/account/activity');
    if (width > 1264) await visitor.page.getByLabel('Act for').waitFor();
    expect(await rowHeight()).toBeLessThan(80);
  });
});
