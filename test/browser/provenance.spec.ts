import sharp from 'sharp';

import { type Visitor, Pages, describeInBrowser, expectToSee } from '../support/pages';

describeInBrowser('the page that asks where a file is from', () => {
  let pages: Pages;

  beforeAll(async () => {
    pages = await Pages.open();
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  /** The bodies that leave the browser. */
  const sentBy = ({ page }: Visitor): Record<string, string>[] => {
    const sent: Record<string, string>[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/provenance/verify'))
        sent.push(request.postDataJSON() as Record<string, string>);
    });
    return sent;
  };

  it('sends a hash, and the file only after a click', async () => {
    const visitor = await pages.visitor();
    await visitor.furnish();
    const { page } = visitor;
    const { url } = await visitor.post('/v1/agent/generate', { prompt: 'a lamp at noon' });
    const made = Buffer.from(await (await fetch(String(url))).arrayBuffer());
    const copy = await sharp(made).resize(300).jpeg().toBuffer();
    const sent = sentBy(visitor);
    await visitor.open('/provenance');
    const choose = (name: string, mimeType: string, buffer: Buffer): Promise<void> =>
      page.getByLabel('File to check').setInputFiles({ name, mimeType, buffer });

    await choose('lamp.png', 'image/png', made);
    await expectToSee(page.getByText('This very file was made here by a model'));
    expect(sent).toEqual([{ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string }]);

    await page.getByRole('button', { name: 'Send the file to check its manifest' }).click();
    await expectToSee(page.getByText('signed by this service, with a self-made development certificate'));

    await choose('copy.jpg', 'image/jpeg', copy);
    await expectToSee(page.getByText('No file with these bytes was made here.'));
    expect(sent.slice(2)).toEqual([{ sha256: expect.any(String) as string }]);

    await page.getByRole('button', { name: 'Send a small copy' }).click();
    await expectToSee(page.getByText('A copy of a picture that was made here by a model'));
    expect(sent.at(-1)!['media']!.length).toBeLessThan(64 * 1_024);

    await page.getByRole('button', { name: 'Send the file to check its manifest' }).click();
    await expectToSee(page.getByText('The file has no C2PA manifest.'));
    expect(sent).toHaveLength(5);
  });
});
